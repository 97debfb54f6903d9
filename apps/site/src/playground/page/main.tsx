import { render } from 'preact'
import { warmUp } from './ask.ts'
import { Playground } from './playground.tsx'
import { fetchViewer } from './viewer-frame.ts'

const page = document.getElementById('page')!
render(<Playground />, page)
// Cloister's own code is loaded before the first click on Run. No code of a set-up runs before this click.
warmUp()
void fetchViewer()
// If the fragment of the page's address changes, the page shows the set-up of the new fragment.
addEventListener('hashchange', () => location.reload())

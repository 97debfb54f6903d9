import { render } from 'preact'
import { warmUp } from './ask.ts'
import { Playground } from './playground.tsx'
import { fetchViewer } from './viewer-frame.ts'

const page = document.getElementById('page')!
render(<Playground />, page)
// Cloister's own code is loaded before the first click on Run. No code of a set-up runs before this click.
warmUp()
void fetchViewer()
// If the part of the page's address behind `#` changes, the page is loaded again, with the new set-up.
addEventListener('hashchange', () => location.reload())

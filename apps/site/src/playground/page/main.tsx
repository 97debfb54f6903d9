import { render } from 'preact'
import { warmUp } from './ask.ts'
import { Playground } from './playground.tsx'
import { fetchViewer } from './viewer-frame.ts'

const page = document.getElementById('page')!
render(<Playground />, page)
// Cloister's own code is loaded before a user presses Run. No code of the set-up runs before.
warmUp()
void fetchViewer()
// If the link of the page changes, the set-up changes.
addEventListener('hashchange', () => location.reload())

import { render } from 'preact'
import { warmUp } from './ask.ts'
import { Playground } from './playground.tsx'
import { fetchViewer } from './viewer-frame.ts'

const page = document.getElementById('page')!
render(<Playground />, page)
// Cloister's own code is ready before a user presses Run. Nothing of the set-up runs before.
warmUp()
void fetchViewer()
// A new link on the same page means a new set-up.
addEventListener('hashchange', () => location.reload())

import { render } from 'preact'
import { warmUp } from './ask.ts'
import { Playground } from './playground.tsx'
import { fetchViewer } from './viewer-frame.ts'

const page = document.getElementById('page')!
render(<Playground />, page)
// Our own code is there when somebody presses Run; of the set-up nothing runs before.
warmUp()
void fetchViewer()
// Another link of the same page is another set-up.
addEventListener('hashchange', () => location.reload())

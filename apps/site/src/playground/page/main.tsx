import { render } from 'preact'
import { stored } from 'site:stored-runs'
import { setupOf } from '../setup.ts'
import { Playground } from './playground.tsx'

// The build wrote the page of the stored runs into the file; drawing the page again makes its fields work.
render(<Playground stored={stored} given={setupOf(location.hash)} />, document.getElementById('page')!)
document.documentElement.classList.remove('linked')
// If the part of the page's address behind `#` changes, the page is loaded again, with the new set-up.
addEventListener('hashchange', () => location.reload())

// Script in the head of the playground's page, before the first picture: shows the site's appearance, and hides the
// stored runs if the address has a set-up, because the stored runs have a different set-up.
import { showAppearance, storedAppearance } from './appearance.ts'

showAppearance(storedAppearance())
document.documentElement.classList.toggle('linked', location.hash !== '')

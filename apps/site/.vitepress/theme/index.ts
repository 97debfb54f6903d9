import { inBrowser, type Theme } from 'vitepress'
import theme from 'vitepress/theme-without-fonts'
import './style.css'

/** Opens the folded section of the API that the address names, because a link would lead to a hidden heading. */
function openTarget(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  const section = target?.closest('details')
  if (section === null || section?.open !== false) return
  section.open = true
  target!.scrollIntoView()
}

/** Loads the run of the first page when a reader touches its picture. The viewer then covers the picture. */
function loadRun({ target }: Event): void {
  const picture = target instanceof Element ? target.closest<HTMLElement>('[data-run]') : null
  if (picture === null || picture.parentElement!.querySelector('iframe') !== null) return
  const frame = document.createElement('iframe')
  frame.title = 'The run in the viewer'
  frame.src = picture.dataset['run']!
  // The first loaded page fetches the viewer, and the second one is the viewer itself.
  frame.addEventListener('load', () => {
    if (frame.contentWindow?.location.protocol === 'blob:') picture.remove()
  })
  picture.after(frame)
}

const ownTheme: Theme = {
  extends: theme,
  enhanceApp: ({ router }) => {
    if (!inBrowser) return
    router.onAfterRouteChange = () => void setTimeout(openTarget)
    addEventListener('hashchange', openTarget)
    for (const touch of ['pointerover', 'click']) addEventListener(touch, loadRun)
  },
}

export default ownTheme

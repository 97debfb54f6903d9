import { useEffect, useState } from 'preact/hooks'
import { type Appearance, appearances, showAppearance, storeAppearance, storedAppearance } from '../appearance.ts'

const links = [
  ['Home', '../index.html'],
  ['Tutorials', '../tutorials/first-run.html'],
  ['Papers', '../papers/index.html'],
  ['Commands', '../reference/cli/index.html'],
  ['Playground', './index.html'],
] as const

/** The bar of the site: links, and the appearance. */
export function Bar() {
  const [appearance, setAppearance] = useState<Appearance>('auto')
  useEffect(() => {
    setAppearance(storedAppearance())
    const follow = (): void => showAppearance(storedAppearance())
    const system = matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', follow)
    return () => system.removeEventListener('change', follow)
  }, [])
  const choose = (value: string): void => {
    const chosen = appearances.find((each) => each === value) ?? 'auto'
    setAppearance(chosen)
    storeAppearance(chosen)
    showAppearance(chosen)
    themeViewer()
  }
  return (
    <header class="bar">
      <a class="name" href="../index.html">
        Cloister
      </a>
      <nav aria-label="Site">
        {links.map(([text, href]) => (
          <a href={href} aria-current={text === 'Playground' ? 'page' : undefined}>
            {text}
          </a>
        ))}
      </nav>
      <select
        name="appearance"
        aria-label="Appearance"
        value={appearance}
        onChange={({ currentTarget: { value } }) => choose(value)}
      >
        {appearances.map((each) => (
          <option value={each}>{each}</option>
        ))}
      </select>
    </header>
  )
}

/** Gives the viewer in the page the page's appearance. */
function themeViewer(): void {
  const location = document.querySelector('iframe')?.contentWindow?.location
  if (location === undefined) return
  const fields = new URLSearchParams(location.hash.slice(1))
  fields.set('theme', document.documentElement.classList.contains('dark') ? 'dark' : 'light')
  location.hash = fields.toString()
}

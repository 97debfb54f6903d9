// The appearance of the site, which VitePress stores for all pages of the site.

export const appearances = ['auto', 'light', 'dark'] as const
export type Appearance = (typeof appearances)[number]

/** Name under which VitePress stores the appearance. */
const STORED = 'vitepress-theme-appearance'

/** Returns the stored appearance; `auto`, the appearance of the system, if the browser stores none. */
export function storedAppearance(): Appearance {
  try {
    const stored = localStorage.getItem(STORED)
    return appearances.find((each) => each === stored) ?? 'auto'
  } catch {
    return 'auto'
  }
}

export function storeAppearance(appearance: Appearance): void {
  try {
    localStorage.setItem(STORED, appearance)
  } catch {
    // Without storage the appearance lasts as long as the page.
  }
}

/** Shows an appearance: the style sheet has the colours of both. */
export function showAppearance(appearance: Appearance): void {
  const isDark = appearance === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : appearance === 'dark'
  document.documentElement.classList.toggle('dark', isDark)
}

// Finds faults in the layout of a page: what is cut, overlaps, or makes the page scroll to the side.
import type { Frame, Page } from 'playwright-core'

/** Widths of the screens on which tests measure pages, in CSS pixels. */
export const widths = [1440, 1280, 768, 390] as const

/**
 * Returns the faults of a page's layout, each with the element: elements beyond the page, hidden parts of texts without
 * a title, long texts in narrow columns, and controls that overlap. Waits for the end of the page's animations. Of a
 * page with an open dialog, only the dialog is measured.
 */
export function layoutFaults(page: Page | Frame): Promise<ReadonlyArray<string>> {
  return page.evaluate(async () => {
    const painted = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve))
    await painted()
    await painted()
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
    const faults: Array<string> = []
    const nameOf = (element: Element): string =>
      `${element.localName}.${element.getAttribute('class') ?? ''} "${(element.textContent || element.getAttribute('aria-label') || '').trim().replaceAll(/\s+/g, ' ').slice(0, 50)}"`
    const isVisible = (element: Element): boolean =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      element.closest('.hidden, .visually-hidden') === null
    /** Returns the nearest ancestor that hides or scrolls overflow in a direction. */
    const clipOf = (element: Element, direction: 'overflowX' | 'overflowY' = 'overflowX'): Element | undefined => {
      for (let each = element.parentElement; each !== null && each !== document.body; each = each.parentElement)
        if (getComputedStyle(each)[direction] !== 'visible') return each
      return undefined
    }
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth) faults.push(`the page scrolls to the side: ${scrollWidth} > ${clientWidth}`)
    const measured = document.querySelector('dialog:modal') ?? document.body
    const all = [...measured.querySelectorAll('*')].filter(
      (each) => each.closest('svg') === null && isVisible(each) && each.getBoundingClientRect().width > 1,
    )
    for (const each of all) {
      const { left, right } = each.getBoundingClientRect()
      if ((right > clientWidth + 1 || left < -1) && clipOf(each) === undefined)
        faults.push(`wider than the page: ${nameOf(each)}`)
      const { overflowX, overflowY, webkitLineClamp } = getComputedStyle(each)
      const hasText = [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent!.trim() !== '')
      const isCut =
        (/hidden|clip/.test(overflowX) && each.scrollWidth > each.clientWidth + 1) ||
        (/hidden|clip/.test(overflowY) && each.scrollHeight > each.clientHeight + 1)
      if ((hasText || webkitLineClamp !== 'none') && isCut && each.closest('[title]') === null)
        faults.push(`cut: ${nameOf(each)}`)
      const letters = each.textContent.trim().length
      if (hasText && letters > 60 && each.localName !== 'td' && each.getBoundingClientRect().width < 80)
        faults.push(`squeezed: ${nameOf(each)}`)
      // A box also hides words beyond its edges if the words belong to an element inside.
      const clip = hasText ? clipOf(each) : undefined
      if (
        clip !== undefined &&
        /hidden|clip/.test(getComputedStyle(clip).overflowX) &&
        each.closest('[title]') === null
      ) {
        const box = clip.getBoundingClientRect()
        if (right > box.right + 1 || left < box.left - 1) faults.push(`cut by its box: ${nameOf(each)}`)
      }
    }
    const controls = all.filter((each) =>
      each.matches(
        'a[href], button, input, select, textarea, summary, [role=tab], [role=button], [tabindex="0"]:not(pre)',
      ),
    )
    /** Visible rectangles of a control: without the parts that its scrollers hide. */
    const places = controls.map((control) => {
      const clips: Array<DOMRect> = []
      for (let each = control.parentElement; each !== null && each !== document.body; each = each.parentElement)
        if (getComputedStyle(each).overflowX !== 'visible' || getComputedStyle(each).overflowY !== 'visible')
          clips.push(each.getBoundingClientRect())
      return [...control.getClientRects()].map(({ left, right, top, bottom }) => ({
        left: Math.max(left, ...clips.map((clip) => clip.left)),
        right: Math.min(right, ...clips.map((clip) => clip.right)),
        top: Math.max(top, ...clips.map((clip) => clip.top)),
        bottom: Math.min(bottom, ...clips.map((clip) => clip.bottom)),
      }))
    })
    for (const [a, one] of controls.entries())
      for (let b = a + 1; b < controls.length; b++) {
        const other = controls[b]
        if (one.contains(other) || other.contains(one)) continue
        const overlap = places[a].some((p) =>
          places[b].some(
            (q) =>
              Math.min(p.right, q.right) - Math.max(p.left, q.left) > 2 &&
              Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 2,
          ),
        )
        if (overlap) faults.push(`overlap: ${nameOf(one)} and ${nameOf(other)}`)
      }
    return [...new Set(faults)]
  })
}

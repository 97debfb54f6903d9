/**
 * Measures how long the viewer takes to open a log, and to show another moment of the log, in a real browser with
 * software rendering. Run in apps/cli after a build: node --conditions=@cloister/source bench/view.ts LOG [OTHER]
 */
import type { Page } from 'playwright-core'
import { Viewer } from '../test/viewer-page.ts'

const logs = process.argv.slice(2)
if (logs.length === 0 || logs.length > 2) throw new Error('usage: bench/view.ts LOG [OTHER]')
const MOVES = 40
const STEPS = 32
/** Time in ms between two clicks of a user who looks at the page. The policy may still work on the moment before. */
const LOOK = 700
/** Time in ms after which a click without an effect has failed. */
const LONGEST = 30_000

const viewer = await Viewer.launch()
try {
  await measure()
} catch (error) {
  // Prints the errors of the page, because a killed browser and a failed page look the same from outside.
  console.error(`broken off: ${(error as Error).message}`, ...viewer.complaints)
  process.exitCode = 1
} finally {
  await viewer.close()
}

async function measure(): Promise<void> {
  const started = performance.now()
  const url = await viewer.serve(process.cwd(), ...logs)
  const served = performance.now()
  const { page, firstMoment, whole } = await viewer.openTimed(url)
  await page.locator('[data-testid^=status]:not(.reading)').last().waitFor()
  await page.waitForTimeout(3000)
  const moves = await clicksInSlider(page)
  await page.waitForTimeout(1000)
  const frames = await zoomSteps(page)
  console.log(`server ${ms(served - started)}, first moment ${ms(firstMoment)}, all of it drawn ${ms(whole)}
a click in the slider until its state is drawn: ${spread(moves)}
a step of zooming until it is drawn: ${spread(frames)}`)
}

/**
 * Jumps to many moments like a user who searches. The page measures the times, so that the time of the test driver does
 * not count.
 */
function clicksInSlider(shown: Page): Promise<ReadonlyArray<number>> {
  return shown.evaluate(
    async ({ MOVES: moves, LOOK: look, LONGEST: longest }) => {
      const slider = document.querySelector<HTMLInputElement>('input.scrub')!
      const now = document.querySelector('[data-testid=now]')!
      const times: number[] = []
      for (let move = 0; move < moves; move++) {
        const before = now.textContent
        const from = performance.now()
        slider.value = String((((move + 1) * 0.618_034) % 1) * Number(slider.max))
        slider.dispatchEvent(new Event('input', { bubbles: true }))
        // The shown time changes at once, but the shown record only when the state has arrived.
        const record = (text: string | null): string => /record.*/.exec(text ?? '')?.[0] ?? ''
        while (record(now.textContent) === record(before)) {
          if (performance.now() - from > longest) throw new Error(`click ${move + 1} showed no other record`)
          await new Promise((resolve) => setTimeout(resolve))
        }
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
        times.push(performance.now() - from)
        await new Promise((resolve) => setTimeout(resolve, look))
      }
      return times
    },
    { MOVES, LOOK, LONGEST },
  )
}

function zoomSteps(shown: Page): Promise<ReadonlyArray<number>> {
  return shown.evaluate(async (steps) => {
    const times: number[] = []
    for (let step = 0; step < steps; step++) {
      const from = performance.now()
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: step % 8 < 4 ? '+' : '-', bubbles: true }))
      // The next frame draws the step, and the timer runs after the drawing.
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
      times.push(performance.now() - from)
      await new Promise((resolve) => setTimeout(resolve, 400))
    }
    return times
  }, STEPS)
}

function spread(times: ReadonlyArray<number>): string {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number): string => ms(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))])
  return `median ${at(0.5)}, 95th percentile ${at(0.95)}, longest ${at(1)}`
}

function ms(value: number): string {
  return `${Math.round(value)} ms`
}

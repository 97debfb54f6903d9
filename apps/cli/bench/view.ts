/**
 * How long the viewer takes to open a log and to show another moment of it, in a real browser with software rendering.
 * node --conditions=@cloister/source bench/view.ts LOG (in apps/cli, once it is built)
 */
import { Viewer } from '../test/viewer-page.ts'

const [log] = process.argv.slice(2)
if (log === undefined) throw new Error('usage: bench/view.ts LOG')
const MOVES = 60

const viewer = await Viewer.launch()
const started = performance.now()
const url = await viewer.serve(process.cwd(), log)
const served = performance.now()
const { page, firstMoment, whole } = await viewer.openTimed(url)
const box = (await page.getByTestId('gantt-a').boundingBox())!
const moves: number[] = []
for (let move = 0; move < MOVES; move++) {
  const before = await page.getByTestId('now').textContent()
  // Here and there, as somebody who looks for something does.
  const x = box.x + 92 + ((move * 0.618_034) % 1) * (box.width - 100)
  const from = performance.now()
  await page.mouse.click(x, box.y + box.height / 2)
  await page.waitForFunction((text) => document.querySelector('[data-testid=now]')?.textContent !== text, before, {
    polling: 'raf',
  })
  moves.push(performance.now() - from)
}
moves.sort((a, b) => a - b)
const frames = await page.evaluate(async () => {
  const times: number[] = []
  for (let step = 0; step < 40; step++) {
    const from = performance.now()
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: step % 8 < 4 ? '+' : '-', bubbles: true }))
    // What the next frame draws is done when the one after it begins.
    await new Promise(requestAnimationFrame)
    await new Promise(requestAnimationFrame)
    times.push(performance.now() - from)
  }
  return times.sort((a, b) => a - b)
})
const ms = (value: number): string => `${Math.round(value)} ms`
console.log(`server ${ms(served - started)}, first moment ${ms(firstMoment)}, all of it drawn ${ms(whole)}
another moment: median ${ms(moves[MOVES >> 1])}, 95th percentile ${ms(moves[Math.floor(MOVES * 0.95)])}, longest ${ms(moves[MOVES - 1])}
zooming, a frame: median ${ms(frames[20])}, 95th percentile ${ms(frames[38])}`)
await viewer.endTest()
await viewer.close()

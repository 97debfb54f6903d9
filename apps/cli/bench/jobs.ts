/**
 * Measures how long the viewer takes to open a log, and to sort and scroll the table of jobs. Run in apps/cli after a
 * build: node --conditions=@cloister/source bench/jobs.ts LOG
 */
import { Viewer } from '../test/viewer-page.ts'

const log = process.argv[2]
if (log === undefined) throw new Error('usage: bench/jobs.ts LOG')
const FRAMES = 120

const viewer = await Viewer.launch()
const { page, firstMoment, whole } = await viewer.openTimed(`${await viewer.serve(process.cwd(), log)}#t=0&tab=jobs`)
console.log(`first moment ${firstMoment.toFixed(0)} ms, all of it drawn ${whole.toFixed(0)} ms`)
const rows = page.getByTestId('jobs')
for (const column of ['waited', 'nodes']) {
  const from = performance.now()
  await page.getByRole('columnheader', { name: column }).getByRole('button').click()
  await page.waitForFunction(() => location.hash.includes('sort='))
  await rows.locator('.row').first().getByRole('cell').first().filter({ hasText: /\d/ }).waitFor()
  console.log(`sorted by ${column} in ${(performance.now() - from).toFixed(0)} ms`)
}
const times = await page.evaluate(async (frames) => {
  const table = document.querySelector('[data-testid=jobs]')!
  const scroller = [table, ...table.querySelectorAll('*'), table.parentElement!].find(
    (each) => each.scrollHeight > each.clientHeight + 100 && getComputedStyle(each).overflowY !== 'visible',
  )!
  const found: Array<number> = []
  let last = performance.now()
  for (let at = 0; at < frames; at++) {
    // Scrolls the table of jobs by small steps of a mouse wheel, and then by long leaps.
    scroller.scrollTop += at < frames / 2 ? 400 : scroller.scrollHeight / frames
    await new Promise((done) => requestAnimationFrame(done))
    const now = performance.now()
    found.push(now - last)
    last = now
  }
  return found.sort((a, b) => a - b)
}, FRAMES)
const at = (share: number): string => times[Math.floor(share * (times.length - 1))].toFixed(0)
console.log(`a frame of scrolling: median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms, longest ${at(1)} ms`)
await viewer.close()

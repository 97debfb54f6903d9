/**
 * The pictures of the viewer's README, of two runs of the same jobs.
 * node --conditions=@cloister/source bench/screenshots.ts LOG OTHER FOLDER (in apps/cli, once it is built)
 */
import { join } from 'node:path'
import { Viewer } from '../test/viewer-page.ts'

const [log, other, folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: bench/screenshots.ts LOG OTHER FOLDER')

const pictures: ReadonlyArray<{
  readonly name: string
  readonly logs: ReadonlyArray<string>
  readonly address: string
  readonly part?: string
}> = [
  { name: 'run', logs: [log], address: 't=1000000&zoom=900000,1100000' },
  { name: 'job', logs: [log], address: 'seq=190107&job=30088&tab=job&zoom=960000,1040000&rows=480,900&theme=light' },
  { name: 'pod', logs: [log], address: 'seq=200000&tab=record&zoom=1100000,1130000&color=backfilled&pod=1&theme=dark' },
  { name: 'two', logs: [other, log], address: 't=100000&tab=compare&zoom=80000,130000' },
  { name: 'figures', logs: [other, log], address: 't=100000&tab=figures', part: '.panels' },
]

const viewer = await Viewer.launch()
for (const { name, logs, address, part } of pictures) {
  const page = await viewer.open(`${await viewer.serve(process.cwd(), ...logs)}#${address}`)
  await page.locator('[data-testid^=status]:not(.reading)').last().waitFor()
  await page.waitForTimeout(9000)
  // What asks the policy again comes last.
  await page.waitForFunction(() => !/Going through the run|Asking…/.test(document.body.innerText))
  await page.locator(part ?? 'body').screenshot({ path: join(folder, `${name}.png`) })
  await viewer.endTest()
}
await viewer.close()

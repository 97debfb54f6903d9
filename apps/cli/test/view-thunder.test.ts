/**
 * Tasks of the viewer's users on a run of 105,764 jobs of the trace `thunder`. Each task reports its steps and seconds.
 * All tasks share one served log and one page.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { Folder } from './cloister.ts'
import { hasChromium, Viewer, withoutChromium } from './viewer-page.ts'

const traces = process.env['CLOISTER_TRACE_DIR'] ?? fileURLToPath(new URL('../../../../shared/traces', import.meta.url))
const hasTrace =
  existsSync(join(traces, 'swf')) && readdirSync(join(traces, 'swf')).some((name) => /Thunder/.test(name))
const missing = !hasChromium ? ` (${withoutChromium})` : !hasTrace ? ` (skipped: no trace of Thunder in ${traces})` : ''

const viewer = Viewer.ofTests('file')
let page: Page

beforeAll(async () => {
  if (missing !== '') return
  const folder = new Folder(afterAll)
  const run = ['--trace', 'thunder', '--trace-dir', traces, '--topology', 'radix:18', '--queue', 'easy:50']
  await folder.json('simulate', ...run, '--policy', 'jigsaw', '--out', 'thunder.ndjson')
  page = await viewer.open(await viewer.serve(folder.path, 'thunder.ndjson'))
})
afterEach(() => {
  if (missing === '') expect(viewer.complaints).toEqual([])
})

type Step = readonly [key: string] | readonly [click: () => Promise<void>] | readonly [line: string, confirmed: 'Enter']

/** Takes the steps of a task until `found` resolves, and reports the number of steps and the seconds. */
async function take(context: TestContext, steps: ReadonlyArray<Step>, found: () => Promise<void>): Promise<void> {
  const from = performance.now()
  for (const [step, confirmed] of steps) {
    if (typeof step === 'function') await step()
    else if (confirmed === undefined) await page.keyboard.press(step)
    else {
      await page.keyboard.type(step)
      await page.keyboard.press(confirmed)
    }
  }
  await found()
  await context.annotate(`${steps.length} steps, ${((performance.now() - from) / 1000).toFixed(1)} s`)
}

const search = (line: string): ReadonlyArray<Step> => [['/'], [line, 'Enter']]
const click = (name: string): Step => [() => page.getByRole('button', { name, exact: true }).click()]

describe.skipIf(missing !== '')(`a task on a run of the trace thunder${missing}`, () => {
  it('tells at once from the log how long and past which jobs a job waited', async (context) => {
    await take(context, search('30088'), async () => {
      const wait = page.getByTestId('log-wait').or(page.getByTestId('why-waited'))
      await wait
        .getByText(/11 d 4 h/)
        .first()
        .waitFor()
      await wait
        .getByText(/23,161 (scheduling )?passes/)
        .first()
        .waitFor()
      await wait.getByText(/^Overtaken by 518 jobs/).waitFor()
    })
  })

  it('lists the links of a job', async (context) => {
    await take(context, search('57541'), async () => {
      await page
        .getByTestId('job-links')
        .getByText(/^and \d+ more links$|^leaf\d+ port/)
        .first()
        .waitFor()
    })
  })

  it('lists the jobs that were placed badly, and the largest job', async (context) => {
    const first = page.getByTestId('jobs').locator('.row').first()
    await take(context, [click('most spread jobs')], () => first.getByRole('cell').first().getByText(/\d/).waitFor())
    await take(context, search('size>1000'), () =>
      page
        .getByTestId('jobs-found')
        .filter({ hasText: /^\d+ of 105,764 jobs$/ })
        .waitFor(),
    )
  })

  it('goes to the most fragmented moment, and lists the worst stretches', async (context) => {
    await page.keyboard.press('0')
    await page.keyboard.press('Home')
    await page.waitForFunction(() => /[#&]t=0(&|$)/.test(location.hash))
    await take(context, [['m']], async () => {
      await page.waitForFunction(() => !/[#&]t=0(&|$)/.test(location.hash))
      const track = page.getByRole('region', { name: 'Node-time by use' })
      await track.getByText(/^fragmented [1-9]/).waitFor()
    })
    await take(context, [click('worst stretches')], () =>
      page.getByTestId('stretches').getByRole('button').first().waitFor(),
    )
  })

  it('shows one hour of the weeks, one pod with its jobs, and a link at a time', async (context) => {
    await take(context, search('1h@3d'), async () => {
      await page.waitForFunction(() => location.hash.includes('zoom=259200%2C262800'))
    })
    await take(context, [...search('pod 3'), ['e']], () =>
      page.getByTestId('area').getByText('81 nodes, from node 243 on').waitFor(),
    )
    await take(context, search('leaf 12 -> l2 11 @ 3d 00:30'), () =>
      page
        .getByText(/^leaf12 port \d to l2-11: (job \d+|free)$/)
        .first()
        .waitFor(),
    )
  })

  it('lists the jobs of a user, and tells that the log names no queues', async (context) => {
    await take(context, search('user=1 size>9'), () =>
      page
        .getByTestId('jobs-found')
        .filter({ hasText: /of 105,764 jobs/ })
        .waitFor(),
    )
    await take(context, search('queue=batch'), () =>
      page.getByTestId('jobs-found').getByText('0 of 105,764 jobs: this log names no queues').waitFor(),
    )
  })
})

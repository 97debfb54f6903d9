/**
 * Fifteen tasks of the viewer's users on runs of the trace `thunder` with 105,764 jobs. Each task reports its steps and
 * seconds. The tasks share the log of one run, and all tasks about this one log share a server and a page.
 */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { complaint, Folder } from './cloister.ts'
import { hasChromium, showsRecord, Viewer, withoutChromium } from './viewer-page.ts'

const traces = process.env['CLOISTER_TRACE_DIR'] ?? fileURLToPath(new URL('../../../../shared/traces', import.meta.url))
const hasTrace =
  existsSync(join(traces, 'swf')) && readdirSync(join(traces, 'swf')).some((name) => /Thunder/.test(name))
const missing = !hasChromium ? ` (${withoutChromium})` : !hasTrace ? ` (skipped: no trace of Thunder in ${traces})` : ''

/** Policy that takes the first free nodes. The job 1000 gets nodes of other jobs. */
const brokenPolicy = `
export default {
  contract: 1,
  name: 'mine',
  version: '0.1.0',
  config: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
  make: ({ nodes }) => ({
    claims: { links: 'shared', fullBandwidth: false, exactSize: true, monotone: true, complete: true, speedupScenarios: false },
    place: (state, request) => {
      const all = Array.from({ length: nodes }, (_, node) => node)
      const free = all.filter((node) => state.isNodeFree(node) !== (request.job === '1000'))
      if (free.length < request.nodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
      return { ok: true, nodes: free.slice(0, request.nodes), links: [] }
    },
  }),
}
`

const viewer = Viewer.ofTests('file')
let folder: Folder
/** Page with the log of one run. */
let page: Page

const run = ['--trace', 'thunder', '--trace-dir', traces, '--topology', 'radix:18']
beforeAll(async () => {
  if (missing !== '') return
  folder = new Folder(afterAll)
  await folder.json('simulate', ...run, '--queue', 'easy:50', '--policy', 'jigsaw', '--out', 'thunder.ndjson')
  page = await viewer.open(await viewer.serve(folder.path, 'thunder.ndjson'))
})
afterEach(() => {
  if (missing === '') expect(viewer.complaints).toEqual([])
})

type Step =
  | readonly [key: string]
  | readonly [click: () => Promise<unknown>]
  | readonly [line: string, confirmed: 'Enter']

/** Takes the steps of a task until `found` resolves, and reports the number of steps and the seconds. */
async function take(
  context: TestContext,
  steps: ReadonlyArray<Step>,
  found: () => Promise<unknown>,
  on: Page = page,
): Promise<void> {
  const from = performance.now()
  for (const [step, confirmed] of steps) {
    if (typeof step === 'function') await step()
    else if (confirmed === undefined) await on.keyboard.press(step)
    else {
      await on.keyboard.type(step)
      await on.keyboard.press(confirmed)
    }
  }
  await found()
  await context.annotate(`${steps.length} steps, ${((performance.now() - from) / 1000).toFixed(1)} s`)
}

const search = (line: string): ReadonlyArray<Step> => [['/'], [line, 'Enter']]
const click = (name: string): Step => [() => page.getByRole('button', { name, exact: true }).click()]
const addressHas = (part: RegExp, on: Page = page): Promise<unknown> =>
  on.waitForFunction(([source]) => new RegExp(source).test(decodeURIComponent(location.hash)), [part.source])
/** Shows all times and nodes, with the cursor at the begin of the run. */
async function restart(): Promise<void> {
  await page.keyboard.press('0')
  await page.keyboard.press('Home')
  await addressHas(/t=0(&|$)/)
}

describe.skipIf(missing !== '')(`a task on a run of the trace thunder${missing}`, () => {
  it('the log of Thunder tells at once how long and past which jobs a job waited', async (context) => {
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

  it('Thunder: dips of the utilization, and the cause of a dip', async (context) => {
    await restart()
    const first = page.getByTestId('stretches').getByRole('button').first()
    await take(context, [click('worst stretches'), [() => first.click()]], async () => {
      await addressHas(/zoom=/)
      await page
        .getByTestId('fragmented')
        .getByText(/shape|links/)
        .first()
        .waitFor()
    })
  })

  it('Thunder: jobs that were placed badly', async (context) => {
    const first = page.getByTestId('jobs').locator('.row').first()
    await take(context, [click('most spread jobs'), [() => first.click()]], () => addressHas(/sort=-spread/))
    await addressHas(/job=\d+/)
  })

  it('Thunder: two policies at one moment', async (context) => {
    await folder.json('simulate', ...run, '--queue', 'easy:50', '--policy', 'baseline', '--out', 'baseline.ndjson')
    const pair = await viewer.open(await viewer.serve(folder.path, 'baseline.ndjson', 'thunder.ndjson'))
    const compare: Step = [() => pair.getByRole('tab', { name: 'Compare' }).click()]
    await take(
      context,
      [compare, ...search('11d 13:46')],
      async () => {
        for (const side of ['a', 'b'])
          await pair.getByTestId(`fabric-${side}`).and(pair.locator('[data-shows]')).waitFor()
        await addressHas(/t=999960(&|$)/, pair)
        await pair.getByText('decide differently').first().waitFor()
      },
      pair,
    )
    await pair.close()
  })

  it('Thunder: the links of a job', async (context) => {
    await take(context, search('57541'), async () => {
      await page
        .getByTestId('job-links')
        .getByText(/^and \d+ more links$|^leaf\d+ port/)
        .first()
        .waitFor()
    })
  })

  it('Thunder: the largest job', async (context) => {
    const sizes = firstBytes(join(folder.path, 'thunder.ndjson'), Infinity).matchAll(/"type":"submit".*?"size":(\d+)/g)
    const most = [...sizes].reduce((largest, [, size]) => Math.max(largest, Number(size)), 0)
    const bySize = (): Promise<void> => page.getByRole('columnheader', { name: 'nodes' }).getByRole('button').click()
    const first = page.getByTestId('jobs').locator('.row').first()
    await take(context, [['t'], [bySize], [() => first.click()]], async () => {
      await addressHas(/sort=-size/)
      await first.getByRole('cell').nth(2).getByText(String(most), { exact: true }).waitFor()
    })
  })

  it('Thunder: the most fragmented moment', async (context) => {
    await restart()
    await take(context, [['m']], async () => {
      await page.waitForFunction(() => !/[#&]t=0(&|$)/.test(location.hash))
      const track = page.getByRole('region', { name: 'Node-time by use' })
      await track.getByText(/^fragmented [1-9]/).waitFor()
    })
  })

  it('Thunder: one pod over time, with its jobs', async (context) => {
    await take(context, [...search('pod 3'), ['e']], async () => {
      await page.getByTestId('area').getByText('81 nodes, from node 243 on').waitFor()
      await page.getByTestId('area').getByRole('heading', { name: 'By job' }).waitFor()
    })
    await take(context, search('leaf 12 -> l2 11 @ 3d 00:30'), () =>
      page
        .getByText(/^leaf12 port \d to l2-11: (job \d+|free)$/)
        .first()
        .waitFor(),
    )
  })

  it('Thunder: a link to a moment', async (context) => {
    await take(context, search('11d 13:46'), () => addressHas(/t=999960(&|$)/))
    await page
      .getByTestId('now')
      .filter({ hasText: /11 d 13:4\d/ })
      .waitFor()
    let other: Page | undefined
    const follow: Step = [async () => (other = await viewer.open(page.url()))]
    await take(context, [follow], () =>
      other!
        .getByTestId('now')
        .filter({ hasText: /11 d 13:4\d/ })
        .waitFor(),
    )
    await other!.close()
  })

  it('Thunder: a picture for a paper', async (context) => {
    const saving = page.waitForEvent('download')
    await take(context, [[() => page.getByRole('button', { name: 'Save Nodes as SVG' }).click()]], async () => {
      expect(readFileSync(await (await saving).path(), 'utf8')).toMatch(/^<svg [\s\S]*busy[\s\S]*<\/svg>\n$/)
    })
  })

  it('Thunder: jobs by user and by queue, and the message that the log names no queues', async (context) => {
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

  it('Thunder: a growing log', async (context) => {
    const text = firstBytes(join(folder.path, 'thunder.ndjson'), 12e6)
    const ends = [...text.matchAll(/"type":"seal".*\n/g)].map(({ index, 0: line }) => index + line.length)
    const [first, last] = [ends[Math.floor(0.95 * ends.length)], ends.at(-1)!]
    const live = join(folder.path, 'live.ndjson')
    writeFileSync(live, text.slice(0, first), 'latin1')
    const growing = await viewer.open(await viewer.serve(folder.path, 'live.ndjson'))
    const append: Step = [() => Promise.resolve(appendFileSync(live, text.slice(first, last), 'latin1'))]
    const lastSeq = text.slice(0, last).split('\n').length - 2
    await take(context, [['l'], append], () => showsRecord(growing, lastSeq), growing)
    await growing.close()
  })

  it('Thunder: a wrong decision of a policy in a broken run', async (context) => {
    folder.write('mine.mjs', brokenPolicy)
    const words = [...run, '--policy', './mine.mjs', '--out', 'broken.ndjson']
    complaint(await folder.cloister('simulate', ...words))
    let broken: Page | undefined
    const open: Step = [async () => (broken = await viewer.open(await viewer.serve(folder.path, 'broken.ndjson')))]
    await take(context, [open], async () => {
      await broken!.getByTestId('fault').getByText('start the job now').waitFor()
      await broken!
        .getByTestId('fault')
        .getByText(/^node\d+ on leaf\d+: job \d+$/)
        .first()
        .waitFor()
    })
    await broken!.close()
  })

  it('Thunder: tasks by keyboard alone', async (context) => {
    await restart()
    await take(context, [...search('30088'), ['j'], ['f']], () => addressHas(/job=30088.*zoom=|zoom=.*job=30088/))
    await take(context, search('list the most spread jobs'), () => addressHas(/sort=-spread/))
    await take(context, [['0'], ['e']], () => page.getByTestId('stretches').getByRole('button').first().waitFor())
    const saving = page.waitForEvent('download')
    await take(context, search('save the page as svg'), () => saving)
  })

  it('Thunder: one hour of the weeks', async (context) => {
    await take(context, search('1h@3d'), () => addressHas(/zoom=259200,262800/))
  })
})

/** Returns the first bytes of a file as text. */
function firstBytes(path: string, bytes: number): string {
  return readFileSync(path).toString('latin1', 0, bytes)
}

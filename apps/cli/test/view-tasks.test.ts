/** Tests of the viewer in Chromium: the tasks of users with the steps of each task, the tracks, and accessibility. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LogState, type LogRecord, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { parentOf, parseIdset, parseTopology, portOfLink, switchName, switchOfLink } from '@cloister/topology'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Folder } from './cloister.ts'
import { layoutFaults, widths } from './layout-faults.ts'
import { hasChromium, showsRecord, Viewer, withoutChromium } from './viewer-page.ts'

const readme = readFileSync(join(import.meta.dirname, '../../viewer/README.md'), 'utf8')

/** Trace with jobs of four users over time. Many jobs run longer than their walltimes and delay the reservations. */
const jobs = [
  '; UnixStartTime: 1700000000',
  ...Array.from({ length: 240 }, (_, at) => {
    const [size, runTime] = [1 + ((at * 7) % 23), 60 + ((at * 977) % 2400)]
    const estimate = Math.max(30, runTime + ((at * 53) % 900) - 250)
    return [at + 1, at * 90, -1, runTime, -1, -1, -1, size, estimate, -1, 1, at % 4, 2, -1, at % 3, -1, -1, -1].join(
      ' ',
    )
  }),
  '',
].join('\n')

/** Name of a trace file, as long as the names of real traces. */
const trace = 'Machine-of-a-Laboratory-2007-1.1-cln.swf'

const viewer = Viewer.ofTests('file')
let folder: Folder
/** Addresses of viewers with one log, with two logs, and with three logs. */
let [one, two, three] = ['', '', '']
/** Page with one log, which most tests share. */
let shown: Page
let records: ReadonlyArray<LogRecord> = []

beforeAll(async () => {
  if (!hasChromium) return
  folder = new Folder(afterAll)
  folder.write(trace, jobs)
  const run = ['--trace', trace, '--arrivals', 'trace', '--estimates', 'requested', '--overrun', 'run-on']
  for (const policy of ['jigsaw', 'baseline', 'laas'])
    await folder.json('simulate', ...run, '--topology', 'radix:6', '--policy', policy, '--out', `${policy}.ndjson`)
  records = [...readLog([readFileSync(join(folder.path, 'jigsaw.ndjson'))], sha256)]
  one = await viewer.serve(folder.path, 'jigsaw.ndjson')
  two = await viewer.serve(folder.path, 'baseline.ndjson', 'jigsaw.ndjson')
  three = await viewer.serve(folder.path, 'baseline.ndjson', 'jigsaw.ndjson', 'laas.ndjson')
  shown = await viewer.open(one)
})
afterEach(() => {
  expect(viewer.complaints).toEqual([])
})

/** Returns the page with one log, in the state after loading, or at the state of an address. */
async function fresh(address: string = 't=0'): Promise<Page> {
  await shown.evaluate((hash) => {
    location.hash = hash
    // Waits until the address has the last steps of the test before, because a change to the present address causes no
    // event.
    dispatchEvent(new Event('hashchange'))
  }, address)
  await shown.getByRole('tab', { name: address.includes('tab=record') ? 'Record' : 'Queue', selected: true }).waitFor()
  return shown
}

/** Steps of a user in a task, each counted as one: a key, a click, or a typed and confirmed line. */
class Steps {
  readonly #page: Page
  readonly done: Array<string> = []

  constructor(page: Page) {
    this.#page = page
  }

  async key(key: string): Promise<void> {
    this.done.push(`\`${key}\``)
    await this.#page.keyboard.press(key)
  }

  async line(words: string, text: string): Promise<void> {
    this.done.push(words)
    await this.#page.keyboard.type(text)
    await this.#page.keyboard.press('Enter')
  }

  async does(words: string, action: () => Promise<unknown>): Promise<void> {
    this.done.push(words)
    await action()
  }
}

/** Expects that the README of the viewer lists exactly the same steps for the task. */
function isInReadme(task: string, { done }: Steps): void {
  expect(readme).toContain(`| ${task} | ${done.join(', ')} | ${done.length} |`)
}

/** Returns the job with the largest product of nodes and time, whose bar is easy to click. */
function largestJob(): { readonly job: string; readonly t: number; readonly node: number } {
  const ends = new Map(records.flatMap((each) => (each.type === 'finish' ? [[each.job, each.t]] : [])))
  const found = records
    .flatMap((each) => (each.type === 'allocate' ? [each] : []))
    .map(({ job, t, nodes }) => ({ job, t, nodes: parseIdset(nodes), lasts: ends.get(job)! - t }))
    .reduce((best, each) => (each.lasts * each.nodes.length > best.lasts * best.nodes.length ? each : best))
  return { job: found.job, t: found.t + found.lasts / 2, node: found.nodes[0] }
}

/** Returns the spread of each job with two nodes or more, from the distances of all pairs of its nodes. */
function spreadOfJobs(): ReadonlyMap<string, number> {
  const { leafOfNode, podOfLeaf } = parseTopology('radix:6')
  const hops = (nodes: ArrayLike<number>): number => {
    let sum = 0
    for (const a of Array.from(nodes))
      for (const b of Array.from(nodes))
        if (a !== b)
          sum += leafOfNode[a] === leafOfNode[b] ? 2 : podOfLeaf[leafOfNode[a]] === podOfLeaf[leafOfNode[b]] ? 4 : 6
    return sum / (nodes.length * (nodes.length - 1))
  }
  const sizes = new Map(records.flatMap((each) => (each.type === 'submit' ? [[each.job, each.size]] : [])))
  return new Map(
    records.flatMap((each) => {
      if (each.type !== 'allocate' || sizes.get(each.job)! < 2) return []
      // The first nodes of a regular tree are the most compact placement.
      const least = Array.from({ length: sizes.get(each.job)! }, (_, node) => node)
      return [[each.job, hops(parseIdset(each.nodes)) / hops(least)]]
    }),
  )
}

/** Returns the free nodes at the end of each instant if a waiting job requests at most as many, else 0. */
function fragmentedNodes(): ReadonlyMap<number, number> {
  const [header, ...rest] = records
  if (header.type !== 'header') throw new Error('a log begins with its header')
  const state = new LogState(header)
  const found = new Map<number, number>()
  for (const record of rest) {
    state.apply(record)
    const free = state.freeNodes.size
    const fits = [...state.waiting.values()].some(({ size }) => size <= free)
    if ('t' in record) found.set(record.t, fits ? free : 0)
  }
  return found
}

/** Returns the time of the first start of a job that has another time or other nodes in the second run. */
function firstDifference(...runs: ReadonlyArray<ReadonlyArray<LogRecord>>): number {
  const starts = runs.map((all) => all.flatMap((each) => (each.type === 'allocate' ? [each] : [])))
  const [same, other] = starts.map((all) => new Set(all.map(({ job, t, nodes }) => `${job} ${t} ${nodes}`)))
  return Math.min(
    ...starts.flat().flatMap(({ job, t, nodes }) => {
      const key = `${job} ${t} ${nodes}`
      return same.has(key) && other.has(key) ? [] : [t]
    }),
  )
}

const hashNumber = async (page: Page, name: string): Promise<number> =>
  page
    .waitForFunction((key) => new URLSearchParams(location.hash.slice(1)).get(key), name)
    .then(async (found) => Number(await found.jsonValue()))

describe.skipIf(!hasChromium)(`a task of the viewer's users${hasChromium ? '' : ` (${withoutChromium})`}`, () => {
  it('the task "why a job waited" takes the steps in the README of the viewer', async () => {
    const page = await fresh()
    const steps = new Steps(page)
    const { job, t, node } = largestJob()
    const box = (await page.getByTestId('gantt-a').boundingBox())!
    const end = records.findLast((each) => 't' in each) as { readonly t: number }
    await steps.does('click the job', () =>
      page.mouse.click(
        box.x + 88 + (t / end.t) * (box.width - 88),
        box.y + 34 + ((node + 0.5) / 54) * (box.height - 34),
      ),
    )
    await steps.key('j')
    const { overtakenBy } = (await folder.json('explain', 'jigsaw.ndjson', '--job', job)) as {
      readonly overtakenBy: ReadonlyArray<unknown>
    }
    await page.getByTestId('why-waited').getByText(`Overtaken by ${overtakenBy.length} job`).waitFor()
    isInReadme('why a job waited', steps)
  })

  it('the task "the most fragmented moment and its cause" takes the steps in the README of the viewer', async () => {
    const page = await fresh()
    const steps = new Steps(page)
    await steps.key('m')
    await page.waitForFunction(() => !/[#&]t=0(&|$)/.test(location.hash))
    const fragmented = fragmentedNodes()
    expect(fragmented.get(await hashNumber(page, 't'))).toBe(Math.max(...fragmented.values()))
    await page.getByTestId('why').getByText('nearest miss').first().waitFor()
    isInReadme('the most fragmented moment, and its cause', steps)
  })

  it('the task "the first difference of two runs" takes the steps in the README of the viewer', async () => {
    const page = await viewer.open(`${two}#tab=compare`)
    await page.getByTestId('comparison').waitFor()
    const steps = new Steps(page)
    await steps.key('n')
    const other = [...readLog([readFileSync(join(folder.path, 'baseline.ndjson'))], sha256)]
    await hashNumber(page, 'job')
    expect(await hashNumber(page, 't')).toBe(firstDifference(records, other))
    isInReadme('the next job about which two runs decide differently', steps)
    await page.close()
  })

  it('the task "the decisions of several runs at the first difference" takes the steps in the README of the viewer', async () => {
    const page = await viewer.open(`${three}#tab=compare&side=c`)
    await page.getByTestId('comparison').getByText('A and C decide differently').waitFor()
    const steps = new Steps(page)
    await steps.key('n')
    const job = String(await hashNumber(page, 'job'))
    const starts = ['baseline', 'jigsaw', 'laas'].map((name) => {
      const all = readLog([readFileSync(join(folder.path, `${name}.ndjson`))], sha256)
      return [...all].find((each) => each.type === 'allocate' && each.job === job) as { readonly nodes: string }
    })
    await page.getByTestId('decisions').waitFor()
    expect(await page.getByTestId('decisions').locator('td.ids').allTextContents()).toEqual(
      starts.map(({ nodes }) => nodes),
    )
    // Names of the two runs that the page compares.
    for (const side of ['a', 'c']) await page.getByTestId(`fabric-${side}`).waitFor()
    expect(await page.locator('.gantt').count()).toBe(3)
    await page.getByRole('tab', { name: 'Figures' }).click()
    const policies = page.getByRole('row', { name: 'policy' }).getByRole('cell')
    await policies.first().waitFor()
    expect((await policies.allTextContents()).map((text) => text.split('@')[0])).toEqual(['baseline', 'jigsaw', 'laas'])
    isInReadme("each run's decision about a job on which runs differ", steps)
    await page.close()
  })

  it('the task "the job that held a link at a time" takes the steps in the README of the viewer', async () => {
    const topology = parseTopology('radix:6')
    const held = records.find((each) => each.type === 'allocate' && each.t > 3600 && (each.links?.[0] ?? '') !== '')
    if (held?.type !== 'allocate') throw new Error('no job holds a link')
    const [link] = parseIdset(held.links![0])
    const [leaf, port] = [switchOfLink(topology, 0, link), portOfLink(topology, 0, link)]
    const [low, high] = [switchName(topology, 0, leaf), switchName(topology, 1, parentOf(topology, 0, leaf, port))]
    const page = await fresh()
    const steps = new Steps(page)
    await steps.key('/')
    await steps.line('`leaf 12 -> l2 11 @ 06:12`', `${low} -> ${high} @ ${held.t}`)
    await page.getByText(`${low} port ${port} to ${high}: job ${held.job}`).waitFor()
    isInReadme('who held a link at a time', steps)
  })

  it('the task "two policies at one moment" takes the steps in the README of the viewer', async () => {
    const page = await viewer.open(`${two}#t=0`)
    const steps = new Steps(page)
    await steps.does('click *Compare*', () => page.getByRole('tab', { name: 'Compare' }).click())
    await steps.key('/')
    await steps.line('`06:12`', '02:00')
    for (const side of ['a', 'b'])
      await page.getByTestId(`fabric-${side}`).and(page.locator('[data-shows=parts]')).waitFor()
    const boxes = await Promise.all(
      ['fabric', 'gantt'].flatMap((view) =>
        ['a', 'b'].map(async (side) => (await page.getByTestId(`${view}-${side}`).boundingBox())!),
      ),
    )
    for (const [a, b] of [boxes.slice(0, 2), boxes.slice(2)])
      expect(Math.round(a.height), 'both runs have the same scale').toBe(Math.round(b.height))
    expect(await page.locator('.fabric-legend').count()).toBe(1)
    await page.keyboard.press('v')
    await page.getByText('only in this run').waitFor()
    await page.waitForFunction(() => location.hash.includes('diff=1'))
    isInReadme('two policies at one moment', steps)
    await page.close()
  })

  it('the task "the links of a job" takes the steps in the README of the viewer', async () => {
    const page = await fresh()
    const held = records.find((each) => each.type === 'allocate' && (each.links?.[0] ?? '') !== '')
    if (held?.type !== 'allocate') throw new Error('no job holds a link')
    const steps = new Steps(page)
    await steps.key('/')
    await steps.line("the job's id", held.job)
    await steps.does('see the list of links', () => page.getByTestId('job-links').waitFor())
    const all = held.links!.flatMap((ids) => [...parseIdset(ids)])
    const more = page.getByTestId('job-links').getByText(/^and \d+ more links$/)
    if (await more.isVisible()) await more.click()
    expect(await page.getByTestId('job-links').getByRole('listitem').count()).toBe(all.length)
    const first = page.getByTestId('job-links').getByRole('listitem').first()
    const name = await first.innerText()
    await first.getByRole('button').click()
    await page.getByText(`${name}: `).first().waitFor()
    isInReadme('the links of a job', steps)
  })

  it('the panel about a job is drawn once if its answer comes before the header of the log', async () => {
    const page = await viewer.open(`${one}#t=0&job=30&tab=job`)
    const { promise: isAnswered, resolve: answered } = Promise.withResolvers<void>()
    await page.route('**/run/a/job?*', async (route) => {
      await route.fulfill({ response: await route.fetch() })
      answered()
    })
    await page.route('**/run/a/overview?*', async (route) => {
      await isAnswered
      await route.continue().catch(() => {})
    })
    await page.reload()
    await page.getByTestId('why-waited').or(page.getByTestId('log-wait')).waitFor()
    expect(await page.getByRole('heading', { name: 'Job 30' }).count()).toBe(1)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.close()
  })

  it('the task "the jobs of a pod over time" takes the steps in the README of the viewer', async () => {
    const page = await fresh()
    const steps = new Steps(page)
    await steps.key('/')
    await steps.line('`pod 3`', 'pod 3')
    await steps.key('e')
    await page.getByTestId('area').getByText('9 nodes, from node 27 on').waitFor()
    const inPod = new Set(
      records.flatMap((each) =>
        each.type === 'allocate' && parseIdset(each.nodes).some((node) => node >= 27 && node < 36) ? [each.job] : [],
      ),
    )
    await page.getByTestId('area').getByRole('heading', { name: 'By job' }).waitFor()
    const jobs = page.getByTestId('area').locator('table').last().getByRole('row')
    for (const name of await jobs.locator('td:first-child').allInnerTexts()) expect(inPod).toContain(name)
    expect(await hashNumber(page, 'pod')).toBe(3)
    isInReadme('the jobs of a pod over time', steps)
  })

  it('the task "the largest job" takes the steps in the README of the viewer', async () => {
    const page = await fresh()
    const steps = new Steps(page)
    await steps.key('t')
    await steps.does('click *nodes*', () =>
      page.getByRole('columnheader', { name: 'nodes' }).getByRole('button').click(),
    )
    await page.waitForFunction(() => location.hash.includes('sort=-size'))
    const most = Math.max(...records.flatMap((each) => (each.type === 'submit' ? [each.size] : [])))
    const first = page.getByTestId('jobs').locator('.row').first()
    await first.getByRole('cell').nth(2).getByText(String(most), { exact: true }).waitFor()
    await steps.does('click the first row', () => first.click())
    const job = String(await hashNumber(page, 'job'))
    expect(records.find((each) => each.type === 'submit' && each.job === job)).toMatchObject({ size: most })
    isInReadme('the largest job', steps)
  })

  it('the task "dips of the utilization, and their cause" takes the steps in the README of the viewer', async () => {
    const page = await fresh()
    const steps = new Steps(page)
    await steps.does('click *worst stretches*', () => page.getByRole('button', { name: 'worst stretches' }).click())
    const first = page.getByTestId('stretches').getByRole('button').first()
    await steps.does('click the first row', () => first.click())
    await page.waitForFunction(() => location.hash.includes('zoom='))
    await page
      .getByTestId('fragmented')
      .getByText(/shape|links/)
      .first()
      .waitFor()
    isInReadme('dips of the utilization, and their cause', steps)
  })

  it('the task "one hour of the run" takes the steps in the README of the viewer', async () => {
    const page = await fresh()
    const steps = new Steps(page)
    await steps.key('/')
    await steps.line('`1h@3d`', '1h@2h')
    await page.waitForFunction(() => location.hash.includes('zoom=7200%2C10800'))
    isInReadme('one hour of the run', steps)
    await page.getByLabel('Go to a time or record').fill('30m')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => location.hash.includes('zoom=6300%2C8100'))
  })

  it('the search field forgets a refused text, and tells why no cable joins two switches', async () => {
    const page = await fresh()
    await page.keyboard.press('/')
    for (const [text, refusal] of [
      ['size>x', /^the query has "size>x"/],
      ['leaf 4 -> l2 0', /^no cable joins leaf4 and l2-0: leaf4 is in pod 1, l2-0 in pod 0/],
      ['nobody', /^no job nobody$/],
      ['job 99999', /^no job 99999$/],
      ['leaf99', /^no leaf99: leaf0 to leaf\d+$/],
    ] as const) {
      await page.keyboard.type(text)
      await page.keyboard.press('Enter')
      await page.getByRole('search').getByRole('status').filter({ hasText: refusal }).waitFor()
    }
    await page.keyboard.type('12')
    expect(await page.getByRole('combobox', { name: 'Go to' }).inputValue()).toBe('12')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    expect(await page.getByRole('dialog').evaluate((dialog) => dialog.scrollTop)).toBe(0)
    await page.keyboard.press('Escape')
  })

  it('the task "share a moment" takes the steps in the README of the viewer', async () => {
    const page = await fresh('t=7200&zoom=6000,9000&tab=record')
    await page.getByTestId('now').getByText('02:00:00').waitFor()
    const said = await page.getByTestId('now').textContent()
    const steps = new Steps(page)
    let link = ''
    await steps.does('copy the address', async () => {
      await page.waitForTimeout(300)
      link = page.url()
    })
    const other = await viewer.open(link)
    expect(await other.getByTestId('now').textContent()).toBe(said)
    isInReadme('share a moment by a link', steps)
    const file = new Steps(page)
    await file.does('`cloister export LOG --to html --out FILE`', () =>
      folder.json('export', 'jigsaw.ndjson', '--to', 'html', '--out', 'run.html'),
    )
    const alone = await viewer.open(pathToFileURL(join(folder.path, 'run.html')).href + new URL(link).hash)
    expect(await alone.getByTestId('now').textContent()).toBe(said)
    isInReadme('share a moment by a file', file)
  })

  it('the task "follow a run that is being written" takes the steps in the README of the viewer', async () => {
    const lines = readFileSync(join(folder.path, 'jigsaw.ndjson'), 'utf8').split('\n')
    const [, first, second] = lines.flatMap((line, at) => (line.includes('"type":"seal"') ? [at + 1] : []))
    writeFileSync(join(folder.path, 'live.ndjson'), `${lines.slice(0, first).join('\n')}\n`)
    const page = await viewer.open(await viewer.serve(folder.path, 'live.ndjson'))
    const steps = new Steps(page)
    await steps.key('l')
    appendFileSync(join(folder.path, 'live.ndjson'), `${lines.slice(first, second).join('\n')}\n`)
    await showsRecord(page, second - 1)
    isInReadme('follow a run that is being written', steps)
  })

  it('the task "the largest slip of a reservation" takes the steps in the README of the viewer', async () => {
    const [promised, slips] = [new Map<string, number>(), new Map<string, number>()]
    for (const each of records)
      if (each.type === 'reserve' && !promised.has(each.job)) promised.set(each.job, each.start)
      else if (each.type === 'allocate' && promised.has(each.job)) slips.set(each.job, each.t - promised.get(each.job)!)
    const largest = [...slips].reduce((best, each) => (each[1] > best[1] ? each : best))
    expect(largest[1]).toBeGreaterThan(0)
    const page = await fresh()
    const steps = new Steps(page)
    await steps.key('t')
    await steps.does('click *slipped*', () =>
      page.getByRole('columnheader', { name: 'slipped' }).getByRole('button').click(),
    )
    await page.waitForFunction(() => location.hash.includes('sort=-slip'))
    await page.getByTestId('jobs').locator('.row').first().getByText(largest[0], { exact: true }).waitFor()
    await steps.does('click the first row', () => page.getByTestId('jobs').locator('.row').first().click())
    expect(await hashNumber(page, 'job')).toBe(Number(largest[0]))
    isInReadme('the largest slip of a reservation', steps)
  })

  it('the task "a picture for a paper" takes the steps in the README of the viewer', async () => {
    const page = await fresh()
    const steps = new Steps(page)
    const saving = page.waitForEvent('download')
    await page.locator('.timelines .plot canvas').first().waitFor()
    await steps.does('click *SVG*', () => page.getByRole('button', { name: 'Save Nodes as SVG' }).click())
    expect(readFileSync(await (await saving).path(), 'utf8')).toMatch(/^<svg [\s\S]*busy[\s\S]*<\/svg>\n$/)
    isInReadme('a picture for a paper', steps)
  })

  it('the task "why a job waited, by keys alone" takes the steps in the README of the viewer', async () => {
    const page = await fresh()
    const steps = new Steps(page)
    const { job } = largestJob()
    await steps.key('/')
    await steps.line("the job's id", job)
    await steps.key('j')
    await page.getByTestId('why-waited').getByText('Overtaken by').waitFor()
    isInReadme('why a job waited, by keys alone', steps)
  })

  it('the task "jobs by user or size" takes the steps in the README of the viewer', async () => {
    const page = await fresh()
    const steps = new Steps(page)
    await steps.key('/')
    await steps.line('`user=alice size>9`', 'user=1 size>9')
    const { groups } = (await folder.json('metrics', 'jigsaw.ndjson', '--where', 'user=1 size>9')) as {
      readonly groups: ReadonlyArray<{ readonly jobs: { readonly submitted: number } }>
    }
    await page
      .getByTestId('jobs-found')
      .filter({ hasText: `${groups[0].jobs.submitted} of 240 jobs` })
      .waitFor()
    isInReadme('jobs by user or size', steps)
  })

  it('the task "jobs that were placed badly" takes the steps in the README of the viewer', async () => {
    const page = await fresh()
    const steps = new Steps(page)
    const spreads = spreadOfJobs()
    const most = Math.max(...spreads.values())
    expect(most).toBeGreaterThan(1)
    await steps.does('click *most spread jobs*', () => page.getByRole('button', { name: 'most spread jobs' }).click())
    const first = page.getByTestId('jobs').getByRole('row').nth(1)
    await first.filter({ hasText: most.toFixed(2) }).waitFor()
    const job = await first.getByRole('cell').first().innerText()
    expect(spreads.get(job)).toBeCloseTo(most, 9)
    await steps.does('click the first row', () => first.click())
    await page.waitForFunction((each) => new URLSearchParams(location.hash.slice(1)).get('job') === each, job)
    isInReadme('jobs that were placed badly', steps)
    await page.getByLabel('colour by').selectOption('spread')
    await page.getByText('compact').waitFor()
    await page.getByLabel('colour by').selectOption('job')
  })

  it('the task "idle by cause over time" takes the steps in the README of the viewer', async () => {
    const page = await fresh()
    const steps = new Steps(page)
    await page.waitForTimeout(500)
    const saving = page.waitForEvent('download')
    await steps.does('see the track *Node-time by use*; for its numbers click *CSV*', () =>
      page.getByRole('button', { name: 'Save the numbers of node-time by use as CSV' }).click(),
    )
    const [, ...rows] = readFileSync(await (await saving).path(), 'utf8')
      .trim()
      .split('\n')
    const shares = rows.map((row) => row.split(',')).map(([, cause, share]) => [cause, Number(share)] as const)
    const points = new Set(rows.map((row) => row.split(',')[0])).size
    const mean = (name?: string): number =>
      shares.reduce((sum, [cause, share]) => sum + (name === undefined || cause === name ? share : 0), 0) / points
    const { nodeTime } = (await folder.json('metrics', 'jigsaw.ndjson')) as {
      readonly nodeTime: Record<string, number>
    }
    expect(mean()).toBeCloseTo(1, 3)
    expect(mean('fragmented')).toBeCloseTo(nodeTime['fragmented'], 2)
    isInReadme('idle nodes by cause over time', steps)
  })
})

/**
 * Returns the findings of axe, a checker of accessibility, on the page. A panel fades its former content until the next
 * answer comes. Axe measures faded colours, so the function first waits for all answers and for the end of each fade.
 *
 * @param rules rules of axe, by default all
 */
async function findings(page: Page, ...rules: ReadonlyArray<string>): Promise<ReadonlyArray<string>> {
  await page.waitForFunction(() => document.querySelector('.old') === null && document.getAnimations().length === 0)
  return page.evaluate(async (values) => {
    const { violations } = await (globalThis as unknown as { readonly axe: typeof axe }).axe.run(
      values.length === 0 ? {} : { runOnly: { type: 'rule', values: [...values] } },
    )
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  }, rules)
}

describe.skipIf(!hasChromium)(`tracks${hasChromium ? '' : ` (${withoutChromium})`}`, () => {
  it('tracks of the viewer can be folded and unfolded, and one track shows the links that jobs own', async () => {
    const page = await fresh('t=7200')
    await page.locator('.timelines .plot canvas').nth(2).waitFor()
    await page.getByRole('button', { name: 'Links', expanded: false }).click()
    await page.locator('.timelines .plot canvas').nth(3).waitFor()
    await page.getByRole('button', { name: 'Queue', expanded: true }).click()
    await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).get('fold') === 'Queue')
    expect(await page.locator('.timelines .plot canvas:visible').count()).toBe(3)
    const [header, ...rest] = records
    const state = new LogState(header as Extract<LogRecord, { readonly type: 'header' }>)
    for (const record of rest) if ('t' in record && record.t <= 7200) state.apply(record)
    const owned = [...state.running.values()].reduce((sum, { links }) => sum + (links[0]?.length ?? 0), 0)
    await page.getByText(`links of leaves owned ${((100 * owned) / 54).toFixed(1)} %`).waitFor()
  })

  it('a track of the viewer shows the share of links that jobs own in each pod, and the difference of two runs', async () => {
    const page = await viewer.open(`${two}#t=7200&side=b&fold=`)
    // The pointer rests over the track before the answer about the use of links comes.
    const { promise: rests, resolve: answer } = Promise.withResolvers<void>()
    await page.route('**/linkUse?*', async (route) => {
      await rests
      await route.continue().catch(() => {})
    })
    await page.reload()
    await page.getByTestId('link-heat').hover({ position: { x: 300, y: 10 } })
    answer()
    await page
      .locator('.link-heat output')
      .filter({ hasText: /^pod 0, leaf to L2: \d+\.\d %$/ })
      .waitFor()
    expect(await page.getByTestId('link-heat').getAttribute('aria-label')).toMatch(
      /^Links used over the visible times: leaf to L2 \d+\.\d %, L2 to spine \d+\.\d %\.$/,
    )
    const states = await Promise.all(
      ['baseline', 'jigsaw'].map(
        async (name) =>
          (await folder.json('state', `${name}.ndjson`, '--at', '7200')) as {
            readonly waiting: ReadonlyArray<unknown>
          },
      ),
    )
    const [first, other] = states.map(({ waiting }) => waiting.length)
    const sign = other > first ? '+' : other < first ? '−' : ''
    await page.getByText(`jobs that wait more than in A ${sign}${Math.abs(other - first)}`, { exact: true }).waitFor()
    await page.locator('figure', { hasText: 'Queue ±' }).locator('.plot canvas').waitFor()
    await page.close()
  })

  it('a track of the viewer shows the allocated share of the bandwidth of shared links', async () => {
    const sharing = JSON.stringify({ sharing: { capacity: 4000 } })
    const policy = ['--policy', 'least-constrained', '--policy-config', sharing, '--bandwidth', 'classes']
    const run = ['--trace', trace, '--arrivals', 'trace', '--topology', 'radix:6', ...policy]
    await folder.json('simulate', ...run, '--out', 'shared.ndjson')
    const all = [...readLog([readFileSync(join(folder.path, 'shared.ndjson'))], sha256)]
    const levels = new LogState(all[0] as never).topology.levels.filter(({ links }) => links > 0)
    const used = levels.map(() => 0)
    for (const record of all) {
      if (record.type !== 'allocate') continue
      const { t } = all.find(
        ({ type, seq, ...each }) => type === 'release' && seq > record.seq && 'job' in each && each.job === record.job,
      ) as { readonly t: number }
      for (const [level, ids] of (record.links ?? []).entries())
        if (ids !== '') used[level] += parseIdset(ids).length * record.bandwidth! * (t - record.t)
    }
    const end = (all.at(-1) as { readonly t: number }).t
    const shares = used.map((sum, level) => (100 * sum) / (levels[level].links * 4000 * end))
    const page = await viewer.open(await viewer.serve(folder.path, 'shared.ndjson'))
    await page.locator('.link-heat', { hasText: 'used share of the bandwidth of links that jobs may hold' }).waitFor()
    const heat = page.getByTestId('link-heat')
    await page.waitForFunction(() =>
      document.querySelector('[data-testid=link-heat]')?.ariaLabel?.startsWith('Links used'),
    )
    const told = [...((await heat.getAttribute('aria-label')) ?? '').matchAll(/(\d+\.\d) %/g)].map(([, share]) =>
      Number(share),
    )
    expect(told).toHaveLength(2)
    // The value of each pixel is rounded to a hundredth of a per cent.
    for (const [level, share] of shares.entries()) expect(Math.abs(told[level] - share)).toBeLessThan(0.11)
    expect(Math.min(...told)).toBeGreaterThan(0)
    await heat.hover({ position: { x: 300, y: 10 } })
    await page
      .locator('.link-heat output')
      .filter({ hasText: /^pod 0, leaf to L2: \d+\.\d %$/ })
      .waitFor()
    const name = (await page.locator('.timelines .fold', { hasText: 'Shared links' }).boundingBox())!
    expect(name.height, 'its name takes one line').toBeLessThan(30)
    await page.close()
  })

  it('tracks of the viewer can be moved and pinned, and panes resized, by keys and by the pointer', async () => {
    const page = await fresh('t=7200')
    const titles = (): Promise<ReadonlyArray<string>> => page.locator('.timelines .fold').allTextContents()
    await page.getByRole('button', { name: 'Move Queue' }).press('ArrowUp')
    await page.waitForFunction(() => location.hash.includes('tracks=Nodes%2CQueue%2CFits%2CLinks'))
    // The moved track still has the keyboard focus.
    await page.keyboard.press('ArrowUp')
    await page.waitForFunction(() => location.hash.includes('tracks=Queue%2CNodes'))
    const [from, to] = await Promise.all(
      ['Move Queue', 'Move Fits'].map(async (name) => (await page.getByRole('button', { name }).boundingBox())!),
    )
    await page.mouse.move(from.x + 3, from.y + 5)
    await page.mouse.down()
    await page.mouse.move(to.x + 3, to.y + 70, { steps: 4 })
    await page.mouse.up()
    await page.waitForFunction(() => location.hash.includes('tracks=Nodes%2CFits%2CQueue'))
    await page.getByRole('button', { name: 'Pin Fits above' }).click()
    await page.waitForFunction(() => location.hash.includes('above=Fits'))
    expect(await titles()).toEqual(['Fits', 'Nodes', 'Queue', 'Links'])
    const between = page.getByRole('separator', { name: 'Width of the views over time' })
    await between.press('ArrowLeft')
    await page.waitForFunction(() => location.hash.includes('panes=time%3A58'))
    const line = (await between.boundingBox())!
    await page.mouse.move(line.x + 2, 400)
    await page.mouse.down()
    await page.mouse.move(line.x + 2 - 128, 400, { steps: 3 })
    await page.mouse.up()
    await page.waitForFunction(() => location.hash.includes('panes=time%3A48'))
    await page.getByRole('separator', { name: 'Height of the fabric' }).press('End')
    await page.getByRole('separator', { name: 'Height of the tracks' }).press('ArrowUp')
    await page.waitForFunction(() => /tracks%3A\d+%2Cfabric%3A90/.test(location.hash))
    await page.evaluate(axe.source)
    expect(await findings(page)).toEqual([])
  })
})

/** Returns the faults of the page's layout on screens of all sizes. */
async function faultsOnScreens(page: Page): Promise<ReadonlyArray<string>> {
  const faults: Array<string> = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    faults.push(...(await layoutFaults(page)).map((fault) => `${width} px: ${fault}`))
  }
  return faults
}

describe.skipIf(!hasChromium)(`for everybody${hasChromium ? '' : ` (${withoutChromium})`}`, () => {
  const all = ['Queue', 'Jobs', 'Sizes that fit', 'Area', 'Record', 'Routes', 'Figures', 'Notes', 'Job'] as const
  it.each([
    // Each view lists only the tabs and the rules of axe that the views before do not have.
    { where: 'a run', tabs: all, rules: [] },
    { where: 'a pair', url: () => two, tabs: ['Figures', 'Compare'], rules: [] },
    {
      where: 'the dark',
      theme: '&theme=dark',
      tabs: ['Sizes that fit', 'Area', 'Queue', 'Job'],
      rules: ['color-contrast'],
    },
    { where: 'a narrow screen', width: 390, tabs: ['Queue', 'Jobs'], rules: [] },
  ])(
    'axe finds no fault of accessibility in the viewer, and on four screens nothing is cut or overlaps: $where',
    async ({ url, theme = '', width = 1280, tabs, rules }) => {
      const address = `t=3600&job=30${theme}`
      const page = url === undefined ? await fresh(address) : await viewer.open(`${url()}#${address}`)
      await page.setViewportSize({ width, height: 800 })
      await page.evaluate(axe.source)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      for (const tab of tabs) {
        await page.getByRole('tab', { name: tab, exact: true }).click()
        await page.waitForFunction(() =>
          [...document.querySelectorAll('.panels .empty')].every(({ textContent }) => !textContent.includes('…')),
        )
        expect(await findings(page, ...rules), tab).toEqual([])
      }
      expect(await faultsOnScreens(page)).toEqual([])
      await page.setViewportSize({ width, height: 800 })
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
      expect(await findings(page, ...rules)).toEqual([])
      expect(await faultsOnScreens(page)).toEqual([])
      await page.keyboard.press('Escape')
    },
  )
})

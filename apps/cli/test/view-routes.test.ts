/** Tests of the viewer in Chromium: paths of messages, forwarding tables of switches, and changes of the tables. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { entriesOf, type LogRecord, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { layOut, squares } from '@cloister/figures'
import { nodeName, parseIdset, parseTopology } from '@cloister/topology'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Folder, small } from './cloister.ts'
import { layoutFaults, widths } from './layout-faults.ts'
import { hasChromium, Viewer, withoutChromium } from './viewer-page.ts'

const viewer = Viewer.ofTests('file')
const topology = parseTopology('radix:6')
let folder: Folder
let url = ''
let records: ReadonlyArray<LogRecord> = []
/** Start of a job on several leaves, with two nodes of the job on different leaves. */
let started = { job: '', t: 0, seq: 0, from: '', to: '' }

beforeAll(async () => {
  if (!hasChromium) return
  folder = new Folder(afterAll)
  await folder.cloister('simulate', ...small, '--policy', 'jigsaw', '--router', 'partition', '--out', 'run.ndjson')
  await folder.log('without.ndjson')
  records = [...readLog([readFileSync(join(folder.path, 'run.ndjson'))], sha256)]
  const found = records.find(
    (each) => each.type === 'allocate' && each.t > 1000 && parseIdset(each.nodes).length > 12,
  ) as Extract<LogRecord, { readonly type: 'allocate' }>
  const nodes = parseIdset(found.nodes)
  const [from, to] = [nodes[0], nodes.at(-1)!].map((node) => nodeName(topology, node))
  started = { job: found.job, t: found.t, seq: found.seq, from, to }
  url = await viewer.serve(folder.path, 'run.ndjson')
})
afterEach(() => {
  expect(viewer.complaints).toEqual([])
})

/** Returns the path in the output of `cloister explain`. */
async function pathInTerminal(): Promise<string> {
  const { job, from, to } = started
  const { routes } = (await folder.json('explain', 'run.ndjson', '--job', job, '--from', from, '--to', to)) as {
    readonly routes: { readonly path: { readonly text: string } }
  }
  return routes.path.text
}

/** Presses the tab key until a field has the focus, and types a text into the field. */
async function typeInto(page: Page, field: string, text: string): Promise<void> {
  for (let presses = 0; presses < 200; presses++) {
    if ((await page.evaluate(() => document.activeElement?.getAttribute('name'))) === field) break
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(text)
}

const path = (page: Page, text: string): Promise<void> => page.getByTestId('path').filter({ hasText: text }).waitFor()

describe.skipIf(!hasChromium)(`routes in the viewer${hasChromium ? '' : ` (${withoutChromium})`}`, () => {
  it('the task "the path of messages between two nodes of a job" takes the steps in the README of the viewer', async () => {
    const page = await viewer.open(`${url}#t=0`)
    const readme = readFileSync(join(import.meta.dirname, '../../viewer/README.md'), 'utf8')
    await page.keyboard.press('/')
    await page.keyboard.type(started.job)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: `Job ${started.job}`, exact: true }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type(`${started.from} -> ${started.to}`)
    await page.keyboard.press('Enter')
    const text = await pathInTerminal()
    expect(text.split(' → ').length).toBeGreaterThan(4)
    await path(page, text)
    await page.getByRole('img', { name: `Path: ${text}.` }).waitFor()
    expect(readme).toContain(
      "| the path of messages between two nodes of a job | `/`, the job's id, `/`, `node 3 -> node 40` | 4 |",
    )
    await page.close()
  })

  it('the panel of routes works by keyboard: a path, the table of a switch, and messages about wrong names', async () => {
    const page = await viewer.open(`${url}#t=${started.t}&job=${started.job}`)
    await page.keyboard.press('o')
    await page.getByTestId('routes').waitFor()
    await typeInto(page, 'from', started.from)
    await typeInto(page, 'to', 'node999')
    await page.keyboard.press('Enter')
    await path(page, 'no node node999: node0 to node53')
    await typeInto(page, 'to', started.to)
    await page.keyboard.press('Enter')
    await path(page, await pathInTerminal())
    await typeInto(page, 'switch', 'leaf 99')
    await page.keyboard.press('Enter')
    await page.getByText('no switch leaf 99: leaf0 to spine8').waitFor()
    await typeInto(page, 'switch', 'L2-4')
    await page.keyboard.press('Enter')
    await page.getByTestId('switch-table').waitFor()
    const { entries } = (await folder.json(
      'state',
      'run.ndjson',
      '--at',
      String(started.t),
      '--routes',
      '--switch',
      'l2-4',
    )) as { readonly entries: ReadonlyArray<{ readonly node: string; readonly port: number; readonly job?: string }> }
    const rows = await page.getByTestId('switch-table').locator('tbody tr').all()
    const shown = await Promise.all(
      rows.map(async (row) => {
        const [port, , nodes, ofJob, ids] = await row.locator('td').allInnerTexts()
        return [port, nodes, ofJob, ids]
      }),
    )
    const ports = [...new Set(entries.map(({ port }) => port))].sort((a, b) => a - b)
    expect(ports.length).toBeGreaterThan(1)
    expect(shown.map(([port, nodes, ofJob]) => [port, nodes, ofJob].map(Number))).toEqual(
      ports.map((port) => {
        const of = entries.filter((entry) => entry.port === port)
        return [port, of.length, of.filter(({ job }) => job === started.job).length]
      }),
    )
    expect(shown.flatMap(([, , , ids]) => [...parseIdset(ids)].map((id) => `node${id}`)).sort()).toEqual(
      entries.map(({ node }) => node).sort(),
    )
    // The page writes its address some time after a change.
    await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).has('switch'))
    const address = page.url()
    await page.close()
    const again = await viewer.open(address)
    await path(again, await pathInTerminal())
    await again.getByTestId('switch-table').waitFor()
    await again.close()
  })

  it('two clicks on nodes in the fabric choose a path, which the fabric draws', async () => {
    const page = await viewer.open(`${url}#t=${started.t}&job=${started.job}&tab=routes`)
    await page.getByTestId('routes').waitFor()
    const fabric = page.getByTestId('fabric-a')
    const box = (await fabric.boundingBox())!
    const places = new Map(
      Array.from(squares(topology, layOut(topology, box.width, box.height, undefined, true)), (square) => [
        square.kind === 'node' ? nodeName(topology, square.node) : '',
        { x: box.x + square.x + 2, y: box.y + square.y + 2 },
      ]),
    )
    const picture = (): Promise<string> =>
      fabric.locator('canvas').evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL())
    const before = await picture()
    for (const name of [started.from, started.to]) await page.mouse.click(places.get(name)!.x, places.get(name)!.y)
    await path(page, await pathInTerminal())
    await page.getByRole('img', { name: 'Path: ' }).waitFor()
    await page.mouse.move(5, 5)
    expect(await picture()).not.toBe(before)
    await page.getByRole('tab', { name: 'Queue' }).click()
    await page.waitForFunction(
      () => document.querySelector('[data-testid=fabric-a]')?.getAttribute('aria-label')?.startsWith('Path') === false,
    )
    await page.close()
  })

  it('the panel of routes shows the busiest link of the job, and what changed at the cursor', async () => {
    const route = records.find((each) => each.type === 'route' && each.cause === started.seq) as Extract<
      LogRecord,
      { readonly type: 'route' }
    >
    const page = await viewer.open(`${url}#seq=${route.seq}&job=${started.job}&tab=routes`)
    const groups = entriesOf(route)
    const entries = groups.reduce(
      (sum, { switches, ranges }) =>
        sum + switches.length * ranges.reduce((all, { first, last }) => all + last - first + 1, 0),
      0,
    )
    const switches = new Set(groups.flatMap((group) => [...group.switches])).size
    await page
      .getByTestId('route-changes')
      .getByText(`record ${route.seq}: ${entries} entries at ${switches} switches for job ${started.job}`)
      .waitFor()
    const { routes } = (await folder.json('explain', 'run.ndjson', '--job', started.job)) as {
      readonly routes: {
        readonly entries: number
        readonly links: number
        readonly busiest: { readonly name: string; readonly destinations: number }
      }
    }
    expect(routes.entries).toBe(entries)
    const job = page.getByTestId('job-routes')
    await job.getByText(`The job has ${entries} entries at ${switches} switches.`).waitFor()
    const first = await job.locator('tbody tr').first().locator('td').allInnerTexts()
    expect(first).toEqual([routes.busiest.name.replace('->', '→'), String(routes.busiest.destinations)])
    await job.getByText(`and ${routes.links - 12} more links`).click()
    expect(await job.locator('tbody tr').count()).toBe(routes.links)
    await job.locator('tbody button').first().click()
    await page.waitForFunction(() => location.hash.includes('link='))
    await page.close()
  })

  it('the panel of routes says that a log has no router', async () => {
    const page = await viewer.open(`${await viewer.serve(folder.path, 'without.ndjson')}#t=0&tab=routes`)
    await page.getByText('The log has no routes, because the run had no router').waitFor()
    await page.close()
  })

  it.each(['light', 'dark'])(
    'axe finds no fault of accessibility in the panel of routes, and on four screens nothing is cut: %s',
    async (theme) => {
      const nodes = [started.from, started.to].map((name) => name.replace('node', '')).join()
      const state = `t=${started.t}&job=${started.job}&tab=routes&switch=0,3&path=${nodes}&theme=${theme}`
      const page = await viewer.open(`${url}#${state}`)
      await path(page, '→')
      await page.waitForFunction(() => document.querySelector('.old') === null && document.getAnimations().length === 0)
      await page.evaluate(axe.source)
      const violations = await page.evaluate(async () => {
        const found = await (globalThis as unknown as { readonly axe: typeof axe }).axe.run()
        return found.violations.map(({ id, nodes: parts }) => `${id}: ${parts.map(({ html }) => html).join(' ')}`)
      })
      expect(violations).toEqual([])
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 })
        expect(await layoutFaults(page), `${width} px`).toEqual([])
      }
      await page.close()
    },
  )
})

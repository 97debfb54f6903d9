/** Tests of the viewer in Chromium: the queries, their rows, and the marks of the rows. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Folder, small } from './cloister.ts'
import { layoutFaults, widths } from './layout-faults.ts'
import { hasChromium, Viewer, withoutChromium } from './viewer-page.ts'

type Row = Readonly<Record<string, string | number | null>>

const viewer = Viewer.ofTests('file')
let folder: Folder
let url = ''
/** Time of the last record. */
let lastTime = 0
/** Width of the margin at the left of a track, in CSS pixels. */
const GUTTER = 88

const own = `export default {
  contract: 1,
  name: 'sizes',
  description: 'How many jobs has each size?',
  columns: [
    { name: 'size', type: 'int64', unit: 'nodes', nullable: false, meaning: 'requested nodes' },
    { name: 'jobs', type: 'int64', unit: 'jobs', nullable: false, meaning: 'number of jobs' },
  ],
  rows: (log) => {
    const sizes = new Map()
    for (const { size } of log.rows('jobs', ['size'])) sizes.set(size, (sizes.get(size) ?? 0) + 1)
    return Array.from(sizes, ([size, jobs]) => ({ size, jobs }))
  },
}
`

beforeAll(async () => {
  if (!hasChromium) return
  folder = new Folder(afterAll)
  folder.write('sizes.mjs', own)
  await folder.cloister('simulate', ...small, '--policy', 'jigsaw', '--out', 'run.ndjson')
  const records = [...readLog([readFileSync(join(folder.path, 'run.ndjson'))], sha256)]
  lastTime = (records.at(-1) as { readonly t: number }).t
  url = await viewer.serve(folder.path, 'run.ndjson', '--query', './sizes.mjs')
})
afterEach(() => {
  expect(viewer.complaints).toEqual([])
})

async function rowsOf(name: string): Promise<ReadonlyArray<Row>> {
  return ((await folder.json('query', 'run.ndjson', name)) as { readonly rows: ReadonlyArray<Row> }).rows
}

/** Opens the panel of the queries, and asks a query. */
async function ask(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name: 'Queries' }).click()
  await page.getByTestId('queries').getByRole('button', { name, exact: true }).click()
  await page.getByTestId('query-rows').waitFor()
}

const column = (page: Page, at: number): Promise<ReadonlyArray<string>> =>
  page.locator(`[data-testid=query-rows] tbody td:nth-child(${at + 1})`).allTextContents()

const addressHas = (page: Page, pattern: string): Promise<unknown> =>
  page.waitForFunction((text) => new RegExp(text).test(decodeURIComponent(location.hash)), pattern)

/** Expects that the visible times of the page begin shortly before and end shortly after a time. */
async function showsTimes(page: Page, begin: number, end: number): Promise<void> {
  await addressHas(page, 'zoom=')
  const [, from, to] = (await page.evaluate(() => /zoom=([\d.]+)[^\d.]+([\d.]+)/.exec(decodeURIComponent(location.hash)))) ?? [] // prettier-ignore
  expect(Number(from)).toBeLessThanOrEqual(begin)
  expect(Number(to)).toBeGreaterThanOrEqual(end)
  expect(Number(to) - Number(from)).toBeLessThan(1.3 * (end - begin) + 3)
}

describe.skipIf(!hasChromium)(`queries in the viewer${hasChromium ? '' : ` (${withoutChromium})`}`, () => {
  it('the panel lists the queries, and shows the rows of `cloister query`', async () => {
    const page = await viewer.open(`${url}#t=0`)
    await ask(page, 'who-delayed-whom')
    const rows = await rowsOf('who-delayed-whom')
    expect(rows.length).toBeGreaterThan(100)
    expect(await column(page, 1)).toEqual(rows.slice(0, 500).map(({ job }) => job))
    expect(await column(page, 5)).toEqual(rows.slice(0, 500).map(({ holder }) => holder))
    await ask(page, 'sizes')
    await page.getByRole('heading', { name: 'How many jobs has each size?' }).waitFor()
    expect((await column(page, 2)).reduce((sum, jobs) => sum + Number(jobs), 0)).toBe(300)
    await page.close()
  })

  it('the number of a row selects its job and zooms to its time, and the address keeps the query', async () => {
    const page = await viewer.open(`${url}#t=0`)
    await ask(page, 'costliest-reservations')
    const [, row] = await rowsOf('costliest-reservations')
    await page.getByTestId('query-rows').getByRole('button', { name: '2', exact: true }).first().click()
    await addressHas(page, `job=${row['job']}(&|$)`)
    await showsTimes(page, Number(row['made_time']), Number(row['end_time']))
    expect(await page.locator('tr[data-selected=true] td').nth(1).textContent()).toBe(row['job'])
    const copy = await viewer.open(page.url())
    await copy.getByRole('heading', { name: 'During the reservations' }).waitFor()
    await copy.close()
    await page.close()
  })

  it('a mark in the track of the query zooms to its row', async () => {
    const page = await viewer.open(`${url}#t=0`)
    await ask(page, 'costliest-reservations')
    const track = page.getByTestId('query-marks')
    await track.waitFor()
    const rows = await rowsOf('costliest-reservations')
    expect(await track.getAttribute('aria-label')).toBe(`Times of the ${rows.length} rows of the query costliest-reservations`) // prettier-ignore
    const [row] = rows
    const box = (await track.boundingBox())!
    const middle = (Number(row['made_time']) + Number(row['end_time'])) / 2
    await page.mouse.click(box.x + GUTTER + ((box.width - GUTTER) * middle) / lastTime, box.y + 2)
    await addressHas(page, `job=${row['job']}(&|$)`)
    await showsTimes(page, Number(row['made_time']), Number(row['end_time']))
    await page.close()
  })

  it('values of a row go to a leaf, a record, a time and a job', async () => {
    const page = await viewer.open(`${url}#t=0`)
    await ask(page, 'fragmentation-by-leaf')
    const [first] = await rowsOf('fragmentation-by-leaf')
    await page.locator('[data-testid=query-rows] tbody td:nth-child(2) button').first().click()
    await addressHas(page, 'rows=')
    const { leaf } = first as { readonly leaf: number }
    const [, from, to] = (await page.evaluate(() => /rows=(\d+)\D+(\d+)/.exec(decodeURIComponent(location.hash))))!
    expect([Number(from) <= 3 * leaf, Number(to) >= 3 * leaf + 3]).toEqual([true, true])
    await ask(page, 'costliest-reservations')
    const [row] = await rowsOf('costliest-reservations')
    await page.locator('[data-testid=query-rows] tbody td:nth-child(4) button').first().click()
    await addressHas(page, `seq=${row['reservation']}(&|$)`)
    await page.close()
  })

  it('the panel has no fault of layout or accessibility, and works in an exported page', async () => {
    await folder.cloister('export', 'run.ndjson', '--to', 'html', '--out', 'run.html')
    const page = await viewer.open(`${pathToFileURL(join(folder.path, 'run.html')).href}#t=0`)
    await ask(page, 'worst-waits')
    expect(await column(page, 1)).toEqual((await rowsOf('worst-waits')).map(({ job }) => job))
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      expect(await layoutFaults(page)).toEqual([])
    }
    await page.evaluate(axe.source)
    const faults = await page.evaluate(async () => {
      const found = await (globalThis as unknown as { readonly axe: typeof axe }).axe.run()
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
    })
    expect(faults).toEqual([])
    await page.close()
  })
})

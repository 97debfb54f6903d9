/** Tests of the viewer in Chromium: keys and fingers that move the time window, calendar times, text size. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LogState, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { Folder } from './cloister.ts'
import { hasChromium, Viewer, withoutChromium } from './viewer-page.ts'

const viewer = Viewer.ofTests()

async function opened(folder: Folder, log: string, place: string): Promise<Page> {
  return viewer.open(`${await viewer.serve(folder.path, log)}${place}`)
}

/** Returns the length of the window in the address: in time or in nodes, or 0 if the window is the whole run. */
async function place(page: Page, name: 'zoom' | 'rows'): Promise<ReadonlyArray<number>> {
  const text = await page.evaluate((field) => new URLSearchParams(location.hash.slice(1)).get(field), name)
  return (text ?? '').split(',').map(Number)
}

/** Presses a key, and waits until the address of the page has another window. */
async function moves(page: Page, key: string, name: 'zoom' | 'rows'): Promise<ReadonlyArray<number>> {
  const before = await page.evaluate((field) => new URLSearchParams(location.hash.slice(1)).get(field), name)
  await page.keyboard.press(key)
  await page.waitForFunction(([field, old]) => new URLSearchParams(location.hash.slice(1)).get(field) !== old, [
    name,
    before,
  ] as const)
  return place(page, name)
}

describe.skipIf(!hasChromium)(`gestures${hasChromium ? '' : ` (${withoutChromium})`}`, () => {
  it('the keys w, a, s and d zoom and move the time window of the viewer; shift with w or s shows fewer or more nodes', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await opened(folder, 'run.ndjson', '#t=5000&zoom=4000,6000')
    expect(await moves(page, 'd', 'zoom')).toEqual([4400, 6400])
    expect(await moves(page, 'a', 'zoom')).toEqual([4000, 6000])
    const [first, end] = await moves(page, 'W', 'rows')
    expect(end - first).toBe(27)
    const below = await moves(page, 's', 'rows')
    expect(below[0]).toBeGreaterThan(first)
    expect((await moves(page, 'w', 'rows'))[0]).toBeLessThan(below[0])
    await moves(page, 'S', 'rows')
    expect(viewer.complaints).toEqual([])
  })

  it('a drag across a track of the viewer zooms to the dragged times, and a click on a track goes to a time', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await opened(folder, 'run.ndjson', '#t=5000&zoom=4000,6000')
    await page.locator('.timelines .plot canvas').first().waitFor()
    for (const track of [page.locator('.timelines .plot').first(), page.getByTestId('node-time')]) {
      const { x, y, width, height } = (await track.boundingBox())!
      // The times begin behind a margin of 88 pixels.
      const at = (share: number): number => x + 88 + share * (width - 88)
      const [from, to] = await place(page, 'zoom')
      await page.mouse.move(at(0.25), y + height / 2)
      await page.mouse.down()
      await page.mouse.move(at(0.5), y + height / 2, { steps: 3 })
      await page.mouse.up()
      await page.waitForFunction(
        (old) => new URLSearchParams(location.hash.slice(1)).get('zoom') !== old,
        `${from},${to}`,
      )
      const [left, right] = await place(page, 'zoom')
      expect(Math.abs(left - (from + (to - from) / 4))).toBeLessThan((to - from) / 100)
      expect(Math.abs(right - (from + (to - from) / 2))).toBeLessThan((to - from) / 100)
      await page.mouse.click(at(0.75), y + height / 2)
      const wanted = left + 0.75 * (right - left)
      await page.waitForFunction(
        ([t, near]) => Math.abs(Number(new URLSearchParams(location.hash.slice(1)).get('t')) - t) < near,
        [wanted, (right - left) / 100] as const,
      )
    }
    expect(viewer.complaints).toEqual([])
  })

  it('two fingers that spread zoom the viewer in around the point between the fingers', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await opened(folder, 'run.ndjson', '#t=5000&zoom=4000,6000')
    const box = (await page.locator('.gantt canvas').last().boundingBox())!
    const y = box.y + box.height / 2
    const fingers = (apart: number) =>
      [-apart, apart].map((dx, id) => ({ x: Math.round(box.x + box.width / 2 + dx), y: Math.round(y), id }))
    const touch = await page.context().newCDPSession(page)
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: fingers(40) })
    for (const apart of [50, 60, 70, 80])
      await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: fingers(apart) })
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    // Each move of the fingers changes the time window.
    await page.waitForFunction(() => {
      const [from, to] = new URLSearchParams(location.hash.slice(1)).get('zoom')!.split(',').map(Number)
      return to - from < 1300
    })
    const [from, to] = await place(page, 'zoom')
    expect(from).toBeGreaterThan(4000)
    expect(to).toBeLessThan(6000)
  })

  it('the viewer of a log with an epoch shows calendar times, and the user can type calendar times', async () => {
    const folder = new Folder()
    const swf = Array.from(
      { length: 40 },
      (_, at) => `${at + 1} ${600 * at} -1 3000 8 -1 -1 8 3600 -1 1 -1 -1 -1 -1 -1 -1 -1`,
    )
    // UnixStartTime 1172844000 is 2 March 2007, 14:00 UTC.
    folder.write('jobs.swf', ['; UnixStartTime: 1172844000', ...swf, ''].join('\n'))
    const words = [
      'simulate',
      '--trace',
      'jobs.swf',
      '--topology',
      'radix:6',
      '--policy',
      'jigsaw',
      '--out',
      'run.ndjson',
    ]
    expect((await folder.cloister(...words)).code).toBe(0)
    const page = await opened(folder, 'run.ndjson', '#t=0')
    await page.getByLabel('Clock').selectOption('utc')
    await page.getByTestId('now').filter({ hasText: '2007-03-02 14:00' }).waitFor()
    await page.getByLabel('Go to a time or record').fill('2007-03-02 15:30')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).get('t') === '5400')
    await page.getByTestId('now').filter({ hasText: '2007-03-02 15:30' }).waitFor()
  })

  it('the page of the viewer has no text smaller than 12 px', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await opened(folder, 'run.ndjson', '#t=7200')
    const tabs = page.getByRole('tab')
    for (let at = 0; at < (await tabs.count()); at++) {
      await tabs.nth(at).click()
      const small = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('body *')]
          .filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent!.trim() !== ''))
          .filter((each) => each.checkVisibility() && Number.parseFloat(getComputedStyle(each).fontSize) < 12)
          .map((each) => `${each.className}: ${each.textContent}`),
      )
      expect(small).toEqual([])
    }
  })

  it('a track of the viewer shows the nodes of jobs that other jobs slow down', async () => {
    const folder = new Folder()
    const run = ['simulate', '--trace=synth:12:200:3', '--topology=radix:8', '--communication=100%:all-to-all:60%']
    const words = ['--run-times=contention', '--overrun=run-on', '--policy=baseline', '--out=shared.ndjson']
    expect((await folder.cloister(...run, ...words)).code).toBe(0)
    const records = [...readLog([readFileSync(join(folder.path, 'shared.ndjson'))], sha256)]
    // Chooses a moment after all records of an instant at which a job runs slower than it would alone.
    const rates = new Map<string, number>()
    let state: LogState | undefined
    let found: { readonly t: number; readonly nodes: number } | undefined
    for (const [at, record] of records.entries()) {
      if (record.type === 'header') state = new LogState(record)
      else state!.apply(record)
      if (record.type === 'progress') rates.set(record.job, record.rate)
      if (record.type === 'release') rates.delete(record.job)
      const next = records[at + 1]
      if (state!.t < 20_000 || next === undefined || !('t' in next) || next.t === state!.t) continue
      const slowed = [...rates].filter(([, rate]) => rate < 1000).map(([job]) => state!.running.get(job)!.nodes.length)
      if (slowed.length === 0) continue
      found = { t: state!.t, nodes: slowed.reduce((sum, nodes) => sum + nodes, 0) }
      break
    }
    const page = await opened(folder, 'shared.ndjson', `#t=${found!.t}`)
    await page.getByText(`nodes of slowed jobs ${((100 * found!.nodes) / 128).toFixed(1)} %`).waitFor()
    expect(viewer.complaints).toEqual([])
  })
})

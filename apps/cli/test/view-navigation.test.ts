/** Tests of the viewer in Chromium: moves in time, and views that show the state of the right moment. */
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LogState, readLog } from '@cloister/eventlog'
import { createLogFile, sha256 } from '@cloister/eventlog/node'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { Folder } from './cloister.ts'
import { hasChromium, inWords, recordShown, type Replay, showsRecord, Viewer, withoutChromium } from './viewer-page.ts'

const viewer = Viewer.ofTests()

/** Returns the start of the shortest span with waiting jobs and free nodes; a pixel's mean hides so short a span. */
function shortestWait(folder: Folder, log: string): number {
  let state: LogState | undefined
  let [found, shortest] = [0, Infinity]
  for (const record of readLog([readFileSync(join(folder.path, log))], sha256)) {
    if (record.type === 'header') {
      state = new LogState(record)
      continue
    }
    const lasted = record.t - state!.t
    if (lasted > 0 && lasted < shortest && state!.waiting.size > 0 && state!.freeNodes.size > 3)
      [found, shortest] = [state!.t, lasted]
    state!.apply(record)
  }
  return found
}

/** Returns the shown value of a timeline at the cursor. Waits for the answer of the policy. */
async function reading(page: Page, line: string): Promise<string> {
  const found = page.locator('.timelines figcaption span', { hasText: line }).locator('b')
  await found.filter({ hasText: /\d/ }).waitFor()
  return (await found.textContent())!
}

const window = (page: Page): Promise<ReadonlyArray<number>> =>
  page
    .waitForFunction(() => /zoom=([^&]*)/.exec(decodeURIComponent(location.hash))?.[1])
    .then(async (found) =>
      String(await found.jsonValue())
        .split(',')
        .map(Number),
    )

describe.skipIf(!hasChromium)(`the viewer${hasChromium ? '' : ` (${withoutChromium})`}`, () => {
  it('the viewer shows the state after all records of an instant, also if some come after the page has loaded', async () => {
    const folder = new Folder()
    const lines = readFileSync(join(folder.path, await folder.log('whole.ndjson')), 'utf8').split('\n')
    const seal = lines.findIndex((line) => line.includes('"type":"seal"'))
    const file = createLogFile(join(folder.path, 'run.ndjson'))
    file.write(Buffer.from(`${lines.slice(0, seal + 1).join('\n')}\n`))
    const page = await viewer.open(await viewer.serve(folder.path, 'run.ndjson'))
    expect(await page.getByTestId('moment').textContent()).toContain('0 jobs run')
    file.write(Buffer.from(lines.slice(seal + 1).join('\n')))
    file.close()
    const state = (await folder.json('state', 'whole.ndjson', '--at', '0')) as Replay
    await page
      .getByTestId('moment')
      .filter({ hasText: inWords(state) })
      .waitFor()
  })

  it('the timelines of the viewer show the values at the cursor, at any zoom', async () => {
    const folder = new Folder()
    await folder.log()
    const url = await viewer.serve(folder.path, 'run.ndjson')
    const t = shortestWait(folder, 'run.ndjson')
    const state = (await folder.json('state', 'run.ndjson', '--at', String(t))) as Replay
    expect(state.free).toBeGreaterThan(0)
    for (const zoom of ['', `&zoom=${t - 100},${t + 100}`, '&zoom=0,20000']) {
      const page = await viewer.open(`${url}#t=${t}${zoom}`)
      await page.getByText(/The largest job that would fit has \d+ nodes?/).waitFor()
      const [, fits] = /would fit has (\d+)/.exec((await page.getByTestId('moment').textContent())!)!
      expect(await reading(page, 'largest job that would fit')).toBe(`${((100 * Number(fits)) / 54).toFixed(1)} %`)
      expect(await reading(page, 'idle while jobs wait')).toBe(`${((100 * state.free) / 54).toFixed(1)} %`)
      expect(await reading(page, 'waiting jobs')).toBe(String(state.waiting.length))
    }
  })

  it('the viewer draws down nodes in the picture of the jobs', async () => {
    const folder = new Folder()
    folder.write('outages.ndjson', '{"t":600,"type":"down","nodes":"0-17"}\n{"t":9000,"type":"up","nodes":"0-17"}\n')
    const machine = ['--trace', 'synth:4:100', '--topology', 'radix:6', '--policy', 'baseline', '--requeue'] as const
    await folder.cloister('simulate', ...machine, '--outages', 'outages.ndjson', '--out', 'run.ndjson')
    const page = await viewer.open(await viewer.serve(folder.path, 'run.ndjson'))
    const hatched = await page
      .getByTestId('gantt-a')
      .locator('canvas')
      .first()
      .evaluate((canvas) => {
        const { width, height } = canvas as HTMLCanvasElement
        const { data } = (canvas as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, width, height)
        let found = 0
        for (let at = 0; at < data.length; at += 4)
          if (data[at] === 90 && data[at + 1] === 20 && data[at + 2] === 20) found++
        return found
      })
    expect(hatched).toBeGreaterThan(1000)
  })

  it('the viewer moves the window to a job found by the search, and gives the keyboard focus back to the page', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await viewer.open(`${await viewer.serve(folder.path, 'run.ndjson')}#t=0&zoom=0,600`)
    await page.getByRole('combobox', { name: 'Go to' }).fill('250')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Job 250' }).waitFor()
    await page.waitForFunction(() => !location.hash.includes('zoom=0%2C600'))
    const [from, to] = await window(page)
    expect(to - from).toBeCloseTo(600, 1)
    const start = Number(/t=([\d.]+)/.exec(page.url())![1])
    expect(start).toBeGreaterThan(600)
    expect(start).toBeGreaterThanOrEqual(from)
    expect(start).toBeLessThanOrEqual(to)
    const before = await recordShown(page)
    await page.keyboard.press('ArrowRight')
    await showsRecord(page, before + 1)
  })

  it('the viewer moves the window to a record by the link of the record', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await viewer.open(`${await viewer.serve(folder.path, 'run.ndjson')}#t=0&zoom=0,600&job=250&tab=job`)
    await page.getByTestId('life').getByRole('button').last().click()
    await page.waitForFunction(() => location.hash.includes('seq=') && !location.hash.includes('zoom=0%2C600'))
    expect((await window(page))[0]).toBeGreaterThan(600)
  })

  it('the viewer keeps the selected job and the open panel while clicks move the cursor in time', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await viewer.open(`${await viewer.serve(folder.path, 'run.ndjson')}#t=0&job=17&tab=record`)
    const box = (await page.getByTestId('gantt-a').boundingBox())!
    // At the end of the run most nodes are idle, so that a click selects no other job.
    await page.mouse.click(box.x + box.width - 4, box.y + 40)
    await page.waitForFunction(() => !/t=0(&|$)/.test(location.hash))
    expect(page.url()).toContain('job=17')
    expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Record')
    await page.mouse.click(box.x + 200, box.y + 60)
    await page.waitForFunction(() => /job=/.test(location.hash) && !location.hash.includes('job=17'))
    expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Record')
  })

  it('the arrow keys of the viewer step through records also if the slider of times has the focus', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await viewer.open(`${await viewer.serve(folder.path, 'run.ndjson')}#seq=700`)
    await showsRecord(page, 700)
    await page.getByRole('slider', { name: 'Time' }).focus()
    await page.keyboard.press('ArrowRight')
    await showsRecord(page, 701)
  })

  it('the viewer shows a growing log of any writer as unfinished, and keeps the window at the newest records', async () => {
    const folder = new Folder()
    const lines = readFileSync(join(folder.path, await folder.log('whole.ndjson')), 'utf8').split('\n')
    const seals = lines.flatMap((line, at) => (line.includes('"type":"seal"') ? [at + 1] : []))
    folder.write('run.ndjson', `${lines.slice(0, seals[1]).join('\n')}\n`)
    const url = await viewer.serve(folder.path, 'run.ndjson')
    const page = await viewer.open(url)
    const generation = async (): Promise<number> => {
      const answer = await fetch(`${url}run/a/overview?q=%7B%7D`)
      return Number(/"generation":(\d+)/.exec(await answer.text())![1])
    }
    appendFileSync(join(folder.path, 'run.ndjson'), `${lines.slice(seals[1], seals[2]).join('\n')}\n`)
    await page.getByTestId('status-a').filter({ hasText: 'being written' }).waitFor()
    await page.getByLabel('follow').check()
    await page.getByRole('button', { name: 'Closer' }).click()
    const begun = await generation()
    appendFileSync(join(folder.path, 'run.ndjson'), `${lines.slice(seals[2], seals[3]).join('\n')}\n`)
    await showsRecord(page, seals[3] - 1)
    expect(await generation()).toBe(begun)
    const last = (JSON.parse(lines[seals[3] - 1]) as { readonly t: number }).t
    await page.waitForFunction((t) => Number(/zoom=[^&]*%2C([\d.]*)/.exec(location.hash)?.[1]) >= t, last)
    appendFileSync(join(folder.path, 'run.ndjson'), lines.slice(seals[3]).join('\n'))
    await page.getByTestId('status-a').filter({ hasText: 'being written' }).waitFor({ state: 'detached' })
    await showsRecord(page, lines.length - 2)
    expect(await generation()).toBe(begun)
    expect(viewer.complaints).toEqual([])
  })

  it('the page of the viewer shows a message if the server has ended', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await viewer.open(await viewer.serve(folder.path, 'run.ndjson'))
    viewer.endServers()
    await page.getByRole('button', { name: 'Closer' }).click()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('alert').getByText('the server does not answer').first().waitFor()
    // A server that ends answers its open requests with 503.
    expect(viewer.complaints.filter((text) => !/net::ERR|status of 503/.test(text))).toEqual([])
  })

  it('the viewer shows the imported log of a real machine', async () => {
    const folder = new Folder()
    await folder.log()
    await folder.cloister('export', 'run.ndjson', '--to', 'sacct', '--out', 'jobs.psv')
    await folder.cloister('import', 'slurm', '--jobs', 'jobs.psv', '--topology', 'radix:6', '--out', 'real.ndjson')
    const page = await viewer.open(`${await viewer.serve(folder.path, 'real.ndjson')}#t=3600`)
    const state = (await folder.json('state', 'real.ndjson', '--at', '3600')) as Replay
    await page
      .getByTestId('moment')
      .filter({ hasText: inWords(state) })
      .waitFor()
    await page
      .getByTestId('why')
      .getByText(/needs \d+ nodes?, .* free/)
      .first()
      .waitFor()
    expect(viewer.complaints).toEqual([])
  })

  it('the viewer finds jobs by a query in the table of jobs, leads from a row to the job in the picture, and back', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await viewer.open(await viewer.serve(folder.path, 'run.ndjson'))
    await page.keyboard.press('Control+k')
    await page.keyboard.type('size>9 wait>3h')
    await page.keyboard.press('Enter')
    const { groups } = (await folder.json('metrics', 'run.ndjson', '--where', 'size>9 wait>3h')) as {
      readonly groups: ReadonlyArray<{ readonly jobs: { readonly submitted: number } }>
    }
    await page
      .getByTestId('jobs-found')
      .filter({ hasText: `${groups[0].jobs.submitted} of 300 jobs` })
      .waitFor()
    await page.getByRole('columnheader', { name: 'waited' }).getByRole('button').click()
    const row = page.getByTestId('jobs').locator('.row').first()
    await row.getByRole('cell').first().filter({ hasText: /\d/ }).waitFor()
    await page.waitForFunction(() => location.hash.includes('sort=-wait'))
    const whole = page.url()
    await row.click()
    await page.keyboard.press('f')
    await page.waitForFunction(() => /job=.*zoom=|zoom=.*job=/.test(location.hash))
    const job = decodeURIComponent(/job=([^&]*)/.exec(page.url())![1])
    const submit = await window(page)
    const state = (await folder.json('explain', 'run.ndjson', '--job', job)) as {
      readonly submitted: number
      readonly ends: ReadonlyArray<{ readonly t: number }>
      readonly overtakenBy: ReadonlyArray<unknown>
    }
    expect(submit[0]).toBeLessThanOrEqual(state.submitted)
    expect(submit[1]).toBeGreaterThan(state.ends[0].t)
    // The selected job and the open table of jobs stay.
    expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Jobs')
    await page.keyboard.press('p')
    await page.getByRole('button', { name: `Unpin ${job}` }).waitFor()
    await page.keyboard.press('j')
    await page.getByTestId('why-waited').getByText(`Overtaken by ${state.overtakenBy.length} job`).waitFor()
    await page.goBack()
    await page.goBack()
    await page.waitForFunction((hash) => location.hash === hash, new URL(whole).hash)
    await page.getByTestId('jobs-found').waitFor()
    expect(viewer.complaints).toEqual([])
  })

  it('the viewer goes to a typed time, a drawn box, a part of the run, a cable, and the worst moment', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await viewer.open(await viewer.serve(folder.path, 'run.ndjson'))
    await page.getByLabel('Go to a time or record').fill('01:00')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => /t=3600(&|$)/.test(location.hash))
    const box = (await page.getByTestId('gantt-a').boundingBox())!
    await page.keyboard.down('Shift')
    await page.mouse.move(box.x + 150, box.y + 60)
    await page.mouse.down()
    await page.mouse.move(box.x + 300, box.y + 120, { steps: 3 })
    await page.mouse.up()
    await page.keyboard.up('Shift')
    await page.waitForFunction(() => location.hash.includes('zoom=') && location.hash.includes('rows='))
    const [from, to] = await window(page)
    await page.keyboard.press('d')
    await page.waitForFunction((old) => Number(/zoom=([\d.]*)/.exec(location.hash)?.[1]) > old, from)
    const [later, end] = await window(page)
    expect(later).toBeCloseTo(from + (to - from) / 5, 1)
    const map = (await page.getByTestId('minimap').boundingBox())!
    await page.mouse.click(map.x + map.width - 3, map.y + 10)
    await page.waitForFunction((old) => Number(/zoom=([\d.]*)/.exec(location.hash)?.[1]) > old, end)
    await page.keyboard.press('0')
    await page.keyboard.press('m')
    await page.waitForFunction(() => !/t=3600(&|$)/.test(location.hash) && !location.hash.includes('zoom='))
    await page
      .getByRole('region', { name: 'Node-time by use' })
      .getByText(/^fragmented [1-9]/)
      .waitFor()
    await page.keyboard.press('g')
    await page
      .getByTestId('fits')
      .getByText(/nodes are free\. The largest job that would fit has \d+/)
      .waitFor()
    await page
      .getByTestId('fits')
      .getByText(/^of \d+ nodes, does not fit|does not fit\./)
      .first()
      .waitFor()
    await page
      .getByTestId('fragmented')
      .getByText(/shape|links/)
      .first()
      .waitFor()
    await page.keyboard.down('Alt')
    await page.mouse.move(box.x + 150, box.y + 60)
    await page.mouse.down()
    await page.mouse.move(box.x + 300, box.y + 120, { steps: 3 })
    await page.mouse.up()
    await page.keyboard.up('Alt')
    await page.waitForFunction(() => /area=[\d.]+%2C/.test(location.hash) && location.hash.includes('tab=area'))
    await page
      .getByTestId('area')
      .getByText(/node-hours/)
      .waitFor()
    await page.keyboard.press('b')
    await page.getByLabel('Note on the shown state').fill('<b>look</b>')
    await page.getByRole('button', { name: 'Save with the run' }).click()
    await page.getByTestId('notes').getByRole('button', { name: '<b>look</b>', exact: true }).waitFor()
    const { notes } = JSON.parse(readFileSync(join(folder.path, 'run.ndjson.notes.json'), 'utf8')) as {
      readonly notes: ReadonlyArray<{ readonly address: string; readonly text: string }>
    }
    expect(notes).toEqual([{ address: expect.stringContaining('area='), text: '<b>look</b>' }])
    await page.getByRole('button', { name: 'Beginning' }).click()
    await page.waitForFunction(() => /t=0(&|$)/.test(location.hash))
    await page.getByTestId('notes').getByRole('button', { name: '<b>look</b>', exact: true }).click()
    await page.waitForFunction((address) => location.hash === `#${address}`, notes[0].address)
    await page.keyboard.press('/')
    await page.keyboard.type('save the page as png')
    const [picture] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
    expect(
      readFileSync(await picture.path())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG')
    await page.keyboard.press('/')
    await page.keyboard.type('leaf 2 -> l2 1')
    await page.keyboard.press('Enter')
    await page.getByText(/^leaf2 port \d+ to l2-1: /).waitFor()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save node-time by use as SVG' }).click(),
    ])
    expect(saved.suggestedFilename()).toBe('node-time.svg')
    expect(readFileSync(await saved.path(), 'utf8')).toMatch(/^<svg [\s\S]*fragmented[\s\S]*<\/svg>\n$/)
    const [numbers] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the numbers of node-time by use as CSV' }).click(),
    ])
    expect(readFileSync(await numbers.path(), 'utf8')).toMatch(/^t,cause,share/)
    expect(viewer.complaints).toEqual([])
  })

  it('the viewer saves the track of link use by pod as a picture and as numbers', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await viewer.open(`${await viewer.serve(folder.path, 'run.ndjson')}#t=0&fold=`)
    await page.getByRole('img', { name: /^Links used over the visible times: leaf to L2 \d/ }).waitFor()
    const saved = async (name: string): Promise<readonly [name: string, content: Buffer]> => {
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()])
      return [file.suggestedFilename(), readFileSync(await file.path())]
    }
    const [svgName, svg] = await saved('Save links by pod as SVG')
    expect(svgName).toBe('links-by-pod.svg')
    expect(svg.toString()).toMatch(/^<svg [\s\S]*pod 5, leaf to L2[\s\S]*<\/svg>\n$/)
    const [csvName, csv] = await saved('Save the numbers of links by pod as CSV')
    expect(csvName).toBe('links-by-pod.csv')
    expect(csv.toString()).toMatch(/^links,from,to,share\n"pod 0, leaf to L2",0,\d/)
    const [pngName, png] = await saved('Save links by pod as PNG')
    expect(pngName).toBe('links-by-pod.png')
    // The first chunk of the PNG has the width of the image: twice the width of the track.
    expect([png.subarray(1, 4).toString(), png.readUInt32BE(16)]).toEqual(['PNG', 1920])
    expect((await saved('Save Nodes as PNG'))[0]).toBe('nodes.png')
    expect(viewer.complaints).toEqual([])
  })

  it('the viewer cuts off no heading of the table of jobs, on screens of any width', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await viewer.open(`${await viewer.serve(folder.path, 'run.ndjson')}#t=0&tab=jobs`)
    await page.getByTestId('jobs').getByRole('columnheader').last().waitFor()
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 900 })
      for (const sort of ['wait', '-slowdown', 'slip', '-state']) {
        await page.evaluate((by) => {
          location.hash = `t=0&tab=jobs&sort=${by}`
        }, sort)
        await page.locator('[role=columnheader]:not([aria-sort=none])').waitFor()
        const cut = await page.getByRole('columnheader').evaluateAll((headings) =>
          headings.flatMap((heading, at) => {
            const range = document.createRange()
            range.selectNodeContents(heading)
            const { left, right } = range.getBoundingClientRect()
            const before = at === 0 ? left : headings[at - 1].getBoundingClientRect().right
            const after = headings[at + 1]?.getBoundingClientRect().left ?? Infinity
            return left < before - 0.5 || right > after + 0.5 ? [heading.textContent] : []
          }),
        )
        expect([width, sort, cut]).toEqual([width, sort, []])
      }
      const rows = page.getByRole('rowgroup', { name: 'Rows' })
      const [shown, all] = await rows.evaluate((each) => [each.clientWidth, each.scrollWidth])
      if (width === 1440) expect(all).toBeLessThanOrEqual(shown)
    }
  })

  it('the viewer fits a narrow screen', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await viewer.visit(await viewer.serve(folder.path, 'run.ndjson'))
    for (const width of [390, 800]) {
      await page.setViewportSize({ width, height: 844 })
      await page.getByTestId('why').waitFor()
      const { wide, panes } = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth,
        // The panels have no scroll bar of their own: the page scrolls.
        panes: ['.gantt', '.timelines', '.fabric'].map(
          (name) => document.querySelector(name)!.getBoundingClientRect().height,
        ),
      }))
      expect(wide).toBe(width)
      for (const height of panes) expect(height).toBeLessThan(844)
    }
  })
})

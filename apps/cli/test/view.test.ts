import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { type LogHeader, type LogRecord, LogWriter, readLog } from '@cloister/eventlog'
import { createLogFile, indexPath, openSeekableLog, sha256 } from '@cloister/eventlog/node'
import { MetricsFold } from '@cloister/metrics'
import { liveHeader, NodeIds, ObservedLog, parseSqueue } from '@cloister/slurm'
import { parseTopology } from '@cloister/topology'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { canaryPolicy } from './canary-policies.ts'
import { complaint, Folder, inTurn } from './cloister.ts'
import { hasChromium, inWords, recordShown, type Replay, showsRecord, Viewer, withoutChromium } from './viewer-page.ts'

const viewer = Viewer.ofTests()

function recordsOf(folder: Folder, log: string): ReadonlyArray<LogRecord> {
  return [...readLog([readFileSync(join(folder.path, log))], sha256)]
}

/** Returns a point inside the picture of the jobs, right of the names of rows and below the scale of times. */
async function inGantt(
  page: Page,
  share: { readonly x: number; readonly y: number },
): Promise<readonly [x: number, y: number]> {
  const box = (await page.getByTestId('gantt-a').boundingBox())!
  return [box.x + 88 + share.x * (box.width - 88), box.y + 34 + share.y * (box.height - 34)]
}

async function clickGantt(page: Page, share: { readonly x: number; readonly y: number }): Promise<void> {
  await page.mouse.click(...(await inGantt(page, share)))
}

const text = async (page: Page, id: string): Promise<string> => (await page.getByTestId(id).textContent()) ?? ''

/** Returns the number of colours in a canvas; an empty canvas has one colour. */
async function colorsIn(page: Page, id: string): Promise<number> {
  return page
    .getByTestId(id)
    .locator('canvas')
    .first()
    .evaluate((canvas) => {
      const { width, height } = canvas as HTMLCanvasElement
      const { data } = (canvas as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, width, height)
      return new Set(new Uint32Array(data.buffer)).size
    })
}

describe('cloister view, without a browser', () => {
  it('view refuses a missing log and a wrong port with a message', async () => {
    const folder = new Folder()
    expect(complaint(await folder.cloister('view', 'none.ndjson', '--no-open'))).toContain('none.ndjson')
    await folder.log()
    expect(complaint(await folder.cloister('view', 'run.ndjson', '--no-open', '--port', '70000'))).toContain(
      '--port: found 70000, expected 0 to 65535',
    )
  })

  it('export --to html writes a run or a part of a run as one file, and refuses senseless options', async () => {
    const folder = new Folder()
    await folder.log()
    expect(await folder.json('export', 'run.ndjson', '--to', 'html', '--out', 'run.html')).toMatchObject({
      files: [{ file: 'run.html' }],
    })
    expect(complaint(await folder.cloister('export', 'run.ndjson', '--to', 'html', '--out', 'run.html'))).toContain(
      'run.html exists; --force overwrites it',
    )
    expect(
      complaint(await folder.cloister('export', 'run.ndjson', '--to', 'paje', '--from', '5', '--out', 'run.paje')),
    ).toContain('--from and --until are only for --to html')
    expect(
      complaint(
        await folder.cloister(
          'export',
          'run.ndjson',
          '--to',
          'html',
          '--from',
          '5',
          '--until',
          '4',
          '--out',
          'part.html',
        ),
      ),
    ).toContain('and --until not before --from')
  })
})

describe.skipIf(!hasChromium)(`the viewer in Chromium${hasChromium ? '' : ` (${withoutChromium})`}`, () => {
  it('the viewer shows the jobs, the fabric, the use of the fabric, and the queue of a run', async () => {
    const folder = new Folder()
    const records = recordsOf(folder, await folder.log())
    const page = await viewer.open(await viewer.serve(folder.path, 'run.ndjson'))
    expect(await page.title()).toBe('jigsaw, synth:4:300 · Cloister')
    expect(await page.locator('header.page').textContent()).toContain(
      `jigsaw on radix:6, synth:4:300whole${records.length.toLocaleString('en')} records`,
    )
    expect(await colorsIn(page, 'gantt-a')).toBeGreaterThan(20)
    expect(await colorsIn(page, 'fabric-a')).toBeGreaterThan(3)
    await page.waitForFunction(() => document.querySelectorAll('.timelines canvas').length === 3)
    expect(await page.locator('.timelines').textContent()).toMatch(/busy \d+\.\d %/)
    expect(await text(page, 'moment')).toContain(`after record ${await recordShown(page)}`)
    expect(viewer.complaints).toEqual([])
  })

  it('the viewer shows after a move of the slider the state that cloister state prints', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await viewer.open(await viewer.serve(folder.path, 'run.ndjson'))
    for (const share of [0.2, 0.7, 0.45]) {
      const before = await text(page, 'now')
      await clickGantt(page, { x: share, y: 0.5 })
      await page.waitForFunction((then) => document.querySelector('[data-testid=now]')?.textContent !== then, before)
      await page.waitForTimeout(150)
      const seq = await recordShown(page)
      const state = (await folder.json('state', 'run.ndjson', '--seq', String(seq))) as Replay
      await page.getByRole('tab', { name: 'Queue' }).click()
      expect(await text(page, 'moment')).toContain(inWords(state))
      expect(await page.getByTestId('gantt-a').getAttribute('aria-label')).toContain(
        `${state.running.length} jobs run on ${54 - state.free} of 54 nodes`,
      )
    }
  })

  it('the viewer steps by keys to the next and the previous record or scheduling pass', async () => {
    const folder = new Folder()
    const records = recordsOf(folder, await folder.log())
    const page = await viewer.open(`${await viewer.serve(folder.path, 'run.ndjson')}#seq=700&tab=record`)
    await showsRecord(page, 700)
    for (const [key, seq] of [
      ['ArrowRight', 701],
      ['ArrowRight', 702],
      ['ArrowLeft', 701],
    ] as const) {
      await page.keyboard.press(key)
      await showsRecord(page, seq)
      await page
        .getByTestId('record')
        .filter({ hasText: `"seq": ${seq},` })
        .waitFor()
      expect(JSON.parse(await text(page, 'record'))).toEqual(records[seq])
    }
    await page.keyboard.press('Shift+ArrowRight')
    await page.waitForFunction(() => !document.querySelector('[data-testid=now]')?.textContent?.endsWith('record 701'))
    const passEnd = await recordShown(page)
    expect(passEnd).toBeGreaterThan(701)
    await page.keyboard.press('Shift+ArrowLeft')
    await page.waitForFunction(
      (end) => !document.querySelector('[data-testid=now]')?.textContent?.endsWith(`record ${end}`),
      passEnd,
    )
    expect(await recordShown(page)).toBeLessThanOrEqual(701)
    await page.keyboard.press('End')
    await showsRecord(page, records.length - 1)
    await page.keyboard.press('Home')
    await page.waitForFunction(() => document.querySelector('[data-testid=now] b')?.textContent === '00:00:00')
  })

  it('the viewer plays the run, and pauses', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await viewer.open(`${await viewer.serve(folder.path, 'run.ndjson')}#t=100`)
    await page.keyboard.press('Space')
    await page.waitForFunction(() => document.querySelector('[data-testid=now] b')?.textContent !== '00:01:40')
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Play' }).waitFor()
    // Waits for the answers to requests from before the pause.
    await page.waitForTimeout(700)
    const then = await text(page, 'now')
    await page.waitForTimeout(400)
    expect(await text(page, 'now')).toBe(then)
    await page.getByLabel('Play by').selectOption('record')
    const seq = await recordShown(page)
    await page.keyboard.press('Escape')
    await page.locator('body').click({ position: { x: 5, y: 5 } })
    await page.keyboard.press('Space')
    await page.waitForFunction(
      (before) =>
        Number(/record (\d+)/.exec(document.querySelector('[data-testid=now]')?.textContent ?? '')?.[1]) > before,
      seq,
    )
  })

  it('the viewer selects a clicked job, and shows its history', async () => {
    const folder = new Folder()
    const records = recordsOf(folder, await folder.log())
    const page = await viewer.open(await viewer.serve(folder.path, 'run.ndjson'))
    await clickGantt(page, { x: 0.4, y: 0.3 })
    await page.keyboard.press('j')
    const heading = page.getByRole('heading', { name: /^Job \d+$/ })
    await heading.waitFor()
    const job = /\d+/.exec((await heading.textContent()) ?? '')![0]
    const own = records.filter((record) => 'job' in record && record.job === job)
    await page.getByTestId('life').waitFor()
    expect(await page.getByTestId('life').locator('tbody tr').count()).toBe(own.length)
    expect(await text(page, 'life')).toContain(
      `on nodes ${(own.find(({ type }) => type === 'allocate') as { readonly nodes: string }).nodes}`,
    )
    await page.getByTestId('life').getByRole('button').last().click()
    await showsRecord(page, own.at(-1)!.seq)
    await page.keyboard.press('Escape')
    await page.getByRole('tab', { name: 'Job', exact: true }).click()
    await page.getByText('No job is selected.').waitFor()
    await page.getByRole('combobox', { name: 'Go to' }).fill(job)
    await page.keyboard.press('Enter')
    await heading.waitFor()
    await page.getByRole('combobox', { name: 'Go to' }).fill('nobody')
    await page.keyboard.press('Enter')
    await page.getByText('no job nobody').waitFor()
  })

  it('the viewer shows the name of the object under the pointer, and buttons zoom the picture of the jobs', async () => {
    const folder = new Folder()
    const records = recordsOf(folder, await folder.log())
    const page = await viewer.open(await viewer.serve(folder.path, 'run.ndjson'))
    await page.getByTestId('gantt-a').waitFor()
    expect(await text(page, 'under-pointer')).toContain('shift and wheel: zoom in nodes')
    await page.mouse.move(...(await inGantt(page, { x: 0.4, y: 0.3 })))
    await page
      .getByTestId('under-pointer')
      .getByText(/^job \d+: \d+ nodes, waited .+, started/)
      .waitFor()
    const job = /\d+/.exec(await text(page, 'under-pointer'))![0]
    const start = records.find((record) => record.type === 'allocate' && record.job === job) as {
      readonly t: number
      readonly backfill?: unknown
    }
    expect(await text(page, 'under-pointer')).toContain(
      `started${start.backfill === undefined ? '' : ' backfilled'} at ${new Date(start.t * 1000).toISOString().slice(11, 19)}`,
    )
    await page.getByRole('button', { name: 'Closer' }).click()
    await page.waitForFunction(() => location.hash.includes('zoom='))
    await page.getByRole('button', { name: 'all', exact: true }).click()
    await page.waitForFunction(() => !location.hash.includes('zoom='))
  })

  it('the viewer shows every pod of a machine larger than the screen, then a clicked pod, then another clicked pod', async () => {
    const folder = new Folder()
    await folder.cloister(
      'simulate',
      '--trace',
      'synth:64:200',
      '--topology',
      'radix:64',
      '--policy',
      'baseline',
      '--out',
      'large.ndjson',
    )
    const page = await viewer.open(await viewer.serve(folder.path, 'large.ndjson'))
    const pod = page.getByRole('combobox', { name: 'Pod' })
    await pod.waitFor()
    expect(await pod.inputValue()).toBe('all')
    const fabric = page.getByTestId('fabric-a')
    expect(await fabric.getAttribute('data-shows')).toBe('pods')
    expect(await colorsIn(page, 'fabric-a')).toBeGreaterThan(3)
    await page.locator('.fabric-legend', { hasText: 'right: free on partly used leaves' }).waitFor()
    await fabric.hover({ position: { x: 20, y: 25 } })
    await fabric.getByText(/^pod 0: [\d,]+ of 1,024 nodes held \(\d+ %\), \d+ free on partly used leaves/).waitFor()
    await page.locator('.heat-legend', { hasText: 'free on partly used leaves ≤ 1 %' }).waitFor()
    await page.mouse.move(...(await inGantt(page, { x: 0.3, y: 0.01 })))
    await page
      .getByTestId('gantt-a')
      .getByText(/^pods? 0( to \d)?: [\d.]+ % held, [\d.]+ % free on partly used leaves/)
      .waitFor()
    await fabric.click({ position: { x: 20, y: 25 } })
    await page.waitForFunction(() => location.hash.includes('pod=0'))
    expect(await fabric.getAttribute('data-shows')).toBe('parts')
    await page.keyboard.press('[')
    await page.waitForFunction(() => location.hash.includes('pod=63'))
    expect(await pod.inputValue()).toBe('63')
    await pod.selectOption('all')
    await page.waitForFunction(() => !location.hash.includes('pod='))
    expect(await fabric.getAttribute('data-shows')).toBe('pods')
  })

  it('the viewer shows the figures at the end of the run if the address has a later time', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await viewer.open(`${await viewer.serve(folder.path, 'run.ndjson')}#t=99999999`)
    await page.locator('.timelines', { hasText: /busy \d+\.\d %/ }).waitFor()
    expect(await page.locator('.timelines').textContent()).toContain('waiting jobs 0')
  })

  it('the viewer asks the policy, and shows why each waiting job does not start', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await viewer.open(`${await viewer.serve(folder.path, 'run.ndjson')}#t=3600`)
    const rows = page.getByTestId('why').locator('[data-job]')
    await rows.first().waitFor()
    const more = page.getByTestId('why').getByText(/^and \d+ more$/)
    while ((await more.count()) > 0) await more.first().click()
    const state = (await folder.json('state', 'run.ndjson', '--seq', String(await recordShown(page)))) as Replay
    expect(await rows.first().textContent()).toMatch(
      new RegExp(`^${state.waiting[0].job}.*first.*(nodes? (are|is) free|nearest miss|reserved from)`),
    )
    expect(await rows.count()).toBe(Math.min(60, state.waiting.length))
    expect(await text(page, 'moment')).toMatch(/The largest job that would fit has \d+ nodes/)
    expect(await page.getByTestId('why').textContent()).toMatch(
      /would delay job|nearest miss|only \d+ nodes are free|no node is free/,
    )
  })

  it('the viewer shows the same moment to another user who opens the address', async () => {
    const folder = new Folder()
    await folder.log()
    const url = await viewer.serve(folder.path, 'run.ndjson')
    const page = await viewer.open(url)
    await clickGantt(page, { x: 0.6, y: 0.6 })
    await page.getByRole('tab', { name: 'Record' }).click()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('+')
    await page.keyboard.press('c')
    await page.getByLabel('Speed').selectOption('8')
    await page.waitForTimeout(600)
    const link = page.url()
    expect(link).toContain('zoom=')
    const other = await viewer.open(link)
    expect(await text(other, 'now')).toBe(await text(page, 'now'))
    expect(await other.getByRole('tab', { selected: true }).textContent()).toBe('Record')
    expect(await other.getByLabel('colour by').inputValue()).toBe('size')
    expect(await other.getByLabel('Speed').inputValue()).toBe('8')
    await other.waitForTimeout(600)
    expect(new URL(other.url()).hash).toBe(new URL(link).hash)
    const strange = await viewer.open(`${url}#t=-5&zoom=9,1&job=%3Cb%3E&pod=999&color=pink&tab=nothing`)
    expect(await strange.getByRole('tab', { selected: true }).textContent()).toBe('Queue')
    expect(viewer.complaints).toEqual([])
  })

  it('the viewer shows two runs side by side, and finds the differences', async () => {
    const folder = new Folder()
    await folder.log('a.ndjson', 'baseline')
    await folder.log('b.ndjson.zst', 'jigsaw')
    const page = await viewer.open(`${await viewer.serve(folder.path, 'a.ndjson', 'b.ndjson.zst')}#t=0&tab=compare`)
    await page.getByTestId('comparison').waitFor()
    const { stdout } = await folder.cloister('diff', 'a.ndjson', 'b.ndjson.zst', '--json')
    const diff = JSON.parse(stdout) as {
      readonly divergence: { readonly t: number }
      readonly jobs: { readonly sooner: number; readonly same: number; readonly later: number }
    }
    expect(await page.locator('[role=tabpanel]').textContent()).toContain(
      `In B ${diff.jobs.sooner} jobs wait less than in A, ${diff.jobs.same} as long, ${diff.jobs.later} longer`,
    )
    expect(await page.getByTestId('comparison').textContent()).toMatch(
      /A and B decide differently about \d+ of 300 jobs/,
    )
    const selected = (): Promise<string> =>
      page
        .waitForFunction(() => /job=([^&]*)/.exec(location.hash)?.[1])
        .then((handle) => handle.jsonValue()) as Promise<string>
    await page.keyboard.press('n')
    const first = await selected()
    expect((await page.getByTestId('comparison').textContent())!).toContain(`The first difference is job ${first} at`)
    // Several jobs differ at the time of the first difference, and the keys visit each of these jobs.
    await page.keyboard.press('n')
    await page.waitForFunction((before) => !location.hash.includes(`job=${before}`), first)
    await page.keyboard.press('Shift+N')
    await page.waitForFunction((before) => location.hash.includes(`job=${before}`), first)
    for (const side of ['a', 'b']) expect(await colorsIn(page, `gantt-${side}`)).toBeGreaterThan(20)
    await page.keyboard.press('x')
    await page.locator('[data-testid=now]', { hasText: 'of B' }).waitFor()
    const labels = await Promise.all(
      ['a', 'b'].map((side) => page.getByTestId(`gantt-${side}`).getAttribute('aria-label')),
    )
    expect(labels.map((label) => /^At ([^o]*) of/.exec(label ?? '')?.[1])).toEqual(
      [labels[0], labels[0]].map((label) => /^At ([^o]*) of/.exec(label ?? '')?.[1]),
    )
    expect(viewer.complaints).toEqual([])
  })

  it('the viewer shows the figures of cloister metrics, for two runs side by side', async () => {
    const folder = new Folder()
    const page = await viewer.open(
      `${await viewer.serve(folder.path, await folder.log('a.ndjson', 'baseline'), await folder.log('b.ndjson', 'jigsaw'))}#tab=figures`,
    )
    const measured = await inTurn(
      ['a.ndjson', 'b.ndjson'],
      async (log) => (await folder.json('metrics', log)) as { readonly utilization: { readonly steady: number } },
    )
    const row = page.getByRole('row', { name: 'utilization, steady state' })
    await row.waitFor()
    expect(await row.getByRole('cell').allTextContents()).toEqual(
      measured.map(({ utilization }) => `${(utilization.steady * 100).toFixed(2)} %`),
    )
    expect(await page.getByRole('row', { name: 'policy' }).getByRole('cell').allTextContents()).toEqual([
      expect.stringContaining('baseline@'),
      expect.stringContaining('jigsaw@'),
    ])
    expect(viewer.complaints).toEqual([])
  })

  it('the viewer follows a log that a program writes', async () => {
    const folder = new Folder()
    const bytes = readFileSync(join(folder.path, await folder.log('whole.ndjson')))
    const file = createLogFile(join(folder.path, 'live.ndjson'))
    file.write(bytes.subarray(0, Math.floor(bytes.length / 3)))
    const page = await viewer.open(await viewer.serve(folder.path, 'live.ndjson'))
    await page.locator('[data-testid=status-a]', { hasText: 'being written' }).waitFor()
    await page.getByLabel('follow').check()
    const first = await recordShown(page)
    file.write(bytes.subarray(Math.floor(bytes.length / 3), Math.floor(bytes.length / 1.5)))
    await page.waitForFunction(
      (before) =>
        Number(/record (\d+)/.exec(document.querySelector('[data-testid=now]')?.textContent ?? '')?.[1]) > before,
      first,
    )
    file.write(bytes.subarray(Math.floor(bytes.length / 1.5)))
    file.close()
    await page.locator('[data-testid=status-a]', { hasText: 'whole' }).waitFor()
    await showsRecord(page, recordsOf(folder, 'whole.ndjson').length - 1)
    // A second run writes the same file again, and so replaces the log.
    await folder.log('other.ndjson', 'baseline')
    writeFileSync(join(folder.path, 'live.ndjson'), readFileSync(join(folder.path, 'other.ndjson')))
    await page.locator('header.page', { hasText: 'baseline on radix:6' }).waitFor()
    expect(viewer.complaints).toEqual([])
  })

  it('the viewer follows the log of cloister observe', async () => {
    const folder = new Folder()
    const topology = parseTopology('radix:4')
    const file = createLogFile(join(folder.path, 'live.ndjson'))
    const began = 1_700_000_000
    const log = new ObservedLog(
      liveHeader('live', began, 'test'),
      topology,
      new NodeIds(topology),
      (chunk) => file.write(chunk),
      sha256,
    )
    // Fakes jobs of one node each, which have run for a while.
    const look = (seconds: number, jobs: number): void => {
      const running = Array.from(
        { length: jobs },
        (_, job) =>
          `${job + 1}|RUNNING|${began}|${began}|${began + (job < 8 ? 0 : 40)}|${began + 600}|10:00|1|node${job}|ann|physics|batch|0|node=1|9|normal|(null)|`,
      )
      log.look({ at: began + seconds, rows: parseSqueue(running.join('\n'), '|'), down: [] })
    }
    look(0, 8)
    const page = await viewer.open(await viewer.serve(folder.path, 'live.ndjson'))
    await page.locator('[data-testid=status-a]', { hasText: 'being written' }).waitFor()
    await page.getByLabel('follow').check()
    expect(await recordShown(page)).toBeLessThan(17)
    look(45, 16)
    await page.waitForFunction(
      () => Number(/record (\d+)/.exec(document.querySelector('[data-testid=now]')?.textContent ?? '')?.[1]) > 17,
    )
    file.close()
    expect(viewer.complaints).toEqual([])
  })

  it.each([
    ['torn', (bytes: Buffer) => bytes.subarray(0, 60_000), 'This log is torn: line'],
    [
      'corrupt',
      (bytes: Buffer) =>
        Buffer.concat([bytes.subarray(0, 60_000), Buffer.from([bytes[60_000] ^ 1]), bytes.subarray(60_001)]),
      'This log is corrupt at byte',
    ],
  ] as const)('the viewer shows the valid part of a log that is %s, with a message', async (status, spoil, message) => {
    const folder = new Folder()
    folder.write('bad.ndjson', spoil(readFileSync(join(folder.path, await folder.log()))))
    const page = await viewer.open(await viewer.serve(folder.path, 'bad.ndjson'))
    expect(await text(page, 'status-a')).toBe(status)
    expect(await page.getByRole('alert').textContent()).toContain(message)
    expect(await colorsIn(page, 'gantt-a')).toBeGreaterThan(10)
  })

  it('the viewer shows when and how the policy of a log failed, and all records before', async () => {
    const folder = new Folder()
    folder.write('mine.mjs', canaryPolicy({ doubleBooks: true }))
    const words = ['--trace', 'synth:2:300', '--topology', 'radix:6', '--policy', './mine.mjs', '--out', 'run.ndjson']
    complaint(await folder.cloister('simulate', ...words))
    const fault = recordsOf(folder, 'run.ndjson').at(-2)!
    if (fault.type !== 'fault') throw new Error(`${fault.type} is the last record`)
    const page = await viewer.open(await viewer.serve(folder.path, 'run.ndjson'))
    expect(await text(page, 'status-a')).toBe('policy failed')
    const alert = await page.getByRole('alert').textContent()
    expect(alert).toContain(`at t = ${fault.t} s the policy failed, record ${fault.seq}: ${fault.message}`)
    expect(alert).toContain('cloister rerun tells whether the policy still fails')
    expect(alert).not.toContain('--resume')
    // Without a view in the address, the page opens at the fault.
    await page.locator('[data-testid=now]', { hasText: `record ${fault.seq}` }).waitFor()
    expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Fault')
    const panel = await page.getByTestId('fault').innerText()
    expect(panel).toMatch(new RegExp(`start the job now[^]*${fault.job}, 3 nodes[^]*the policy ${fault.message}\\.`))
    expect(panel).toContain('node0 on leaf0: job 1')
    expect(await page.getByTestId('fabric-a').getAttribute('aria-label')).toContain(
      'Fault: 1 nodes and links are marked',
    )
    await page.getByRole('button', { name: 'End', exact: true }).click()
    await page.getByRole('button', { name: `at 00:00:00, job ${fault.job}` }).click()
    await page.locator('[data-testid=now]', { hasText: `record ${fault.seq}` }).waitFor()
    expect((await folder.cloister('export', 'run.ndjson', '--to', 'html', '--out', 'run.html')).code).toBe(3)
    const exported = await viewer.open(pathToFileURL(join(folder.path, 'run.html')).href)
    expect(await text(exported, 'status-a')).toBe('policy failed')
    expect(viewer.complaints).toEqual([])
  })

  it('the viewer writes an index file again that does not fit the log', async () => {
    const folder = new Folder()
    const path = join(folder.path, await folder.log())
    openSeekableLog(path, { keepIndex: true }).close()
    const [, identity, data] = zstdDecompressSync(readFileSync(indexPath(path)))
      .toString('latin1')
      .split('\n')
    const { hashes, ...rest } = JSON.parse(data) as { readonly hashes: ReadonlyArray<string> }
    const forged = `${identity}\n${JSON.stringify({ ...rest, hashes: [hashes[0], ...hashes.slice(1).map(() => 'x')] })}`
    const checksum = createHash('sha256').update(forged, 'latin1').digest('hex')
    const forge = (): void =>
      writeFileSync(indexPath(path), zstdCompressSync(Buffer.from(`${checksum}\n${forged}`, 'latin1')))
    forge()
    const { code, stderr } = await folder.cloister('state', 'run.ndjson', '--at', '3600')
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('run.ndjson.index was not used') })
    forge()
    const page = await viewer.open(await viewer.serve(folder.path, 'run.ndjson'))
    expect(await colorsIn(page, 'gantt-a')).toBeGreaterThan(10)
  })

  it('the viewer stops before a record that gives a node to a second job, and shows the conflict', async () => {
    const folder = new Folder()
    const chunks: Array<Uint8Array> = []
    const writer = new LogWriter(
      headerOf(recordsOf(folder, await folder.log())[0]),
      parseTopology('radix:6'),
      (chunk) => chunks.push(chunk),
      sha256,
    )
    for (const job of ['first', 'second']) writer.record({ type: 'submit', t: 0, job, size: 2, estimate: 5000 })
    writer.record({ type: 'allocate', t: 0, job: 'first', nodes: [3, 4], cause: 2 })
    writer.record({ type: 'allocate', t: 1000, job: 'second', nodes: [4, 5], cause: 2 })
    writer.record({ type: 'end', t: 2000, submitted: 2, started: 2, finished: 0, rejected: 0, killed: 0, cancelled: 0 })
    folder.write('twice.ndjson', Buffer.concat(chunks))
    const page = await viewer.open(`${await viewer.serve(folder.path, 'twice.ndjson')}#t=5`)
    expect(await text(page, 'status-a')).toBe('breaks off')
    expect(await page.getByRole('alert').textContent()).toContain('node 4 is held by job first')
    expect(await page.getByTestId('fabric-a').getAttribute('aria-label')).toContain(
      'Conflict: 1 nodes and links are allocated twice',
    )
  })

  it('the viewer shows text of a log as text, never as markup', async () => {
    const hostile = '<img src=x onerror="alert(1)"></script><script>alert(2)</script>'
    const folder = new Folder()
    const header = headerOf(recordsOf(folder, await folder.log())[0])
    const chunks: Array<Uint8Array> = []
    const writer = new LogWriter(
      { ...header, workload: { ...header.workload, name: hostile }, program: hostile },
      parseTopology('radix:6'),
      (chunk) => chunks.push(chunk),
      sha256,
    )
    writer.record({ type: 'submit', t: 0, job: hostile, size: 2, estimate: 5000, name: hostile })
    writer.record({ type: 'allocate', t: 0, job: hostile, nodes: [3, 4], cause: 1 })
    writer.record({ type: 'submit', t: 0, job: `${hostile}2`, size: 54, estimate: 5000 })
    writer.record({
      type: 'refuse',
      t: 0,
      job: `${hostile}2`,
      code: 'no-placement',
      constraint: hostile,
      nearest: { [hostile]: hostile },
      cause: 3,
    })
    writer.record({ type: 'finish', t: 9000, job: hostile, cause: 2 })
    writer.record({ type: 'release', t: 9000, job: hostile, cause: 5 })
    writer.record({ type: 'end', t: 9000, submitted: 2, started: 1, finished: 1, rejected: 0, killed: 0, cancelled: 0 })
    folder.write('hostile.ndjson', Buffer.concat(chunks))
    await folder.json('export', 'hostile.ndjson', '--to', 'html', '--out', 'hostile.html')
    for (const url of [
      await viewer.serve(folder.path, 'hostile.ndjson'),
      pathToFileURL(join(folder.path, 'hostile.html')).href,
    ]) {
      const page = await viewer.open(`${url}#t=5&job=${encodeURIComponent(hostile)}`)
      await page.getByTestId('why').waitFor()
      for (const tab of ['Job', 'Jobs', 'Record', 'Figures', 'Queue']) {
        await page.getByRole('tab', { name: tab, exact: true }).click()
        await page.waitForTimeout(250)
      }
      expect(await page.locator('header.page').textContent()).toContain(hostile)
      expect(await page.locator('img, iframe, #page script').count()).toBe(0)
    }
    expect(viewer.complaints).toEqual([])
  })

  it('the server of the viewer refuses requests without the token, and listens only on loopback', async () => {
    const folder = new Folder()
    await folder.log()
    const url = new URL(await viewer.serve(folder.path, 'run.ndjson'))
    expect(url.hostname).toBe('127.0.0.1')
    const status = async (path: string): Promise<number> =>
      new Promise((resolve, reject) => {
        request({ host: url.hostname, port: url.port, path }, (answer) => resolve(answer.resume().statusCode!))
          .on('error', reject)
          .end()
      })
    expect(await status(url.pathname)).toBe(200)
    expect(await status(`${url.pathname}run/a/overview?q=%7B%7D`)).toBe(200)
    for (const path of [
      '/',
      '/x/',
      '/x/sides',
      '/x/run/a/overview',
      `${url.pathname.slice(0, -2)}/`,
      '/..%2f..%2fetc/passwd',
    ])
      expect(await status(path), path).toBe(404)
    for (const path of [
      'run/a/overview?q=nonsense',
      'run/a/moment?q=%7B%22seq%22:%22x%22%7D',
      'run/a/__proto__?q=%7B%7D',
    ])
      expect(await status(url.pathname + path), path).toBe(400)
    expect(await status(`${url.pathname}run/c/overview?q=%7B%7D`)).toBe(404)
  })

  it('a page of export --to html is one file, sends no request, and shows the exported part', async () => {
    const folder = new Folder()
    await folder.log()
    await folder.json('export', 'run.ndjson', '--to', 'html', '--out', 'all.html')
    await folder.json('export', 'run.ndjson', '--to', 'html', '--from', '3000', '--until', '4000', '--out', 'part.html')
    const [all, part] = await Promise.all(
      ['all.html#t=3600', 'part.html'].map((name) => viewer.open(new URL(name, pathToFileURL(`${folder.path}/`)).href)),
    )
    const state = (await folder.json('state', 'run.ndjson', '--at', '3600')) as Replay
    expect(await text(all, 'moment')).toContain(inWords(state))
    await all.getByText('The log has no reasons.').waitFor()
    await part.waitForFunction(
      () =>
        document.querySelector('[data-testid=now] b')?.textContent?.startsWith('00:4') === true ||
        document.querySelector('[data-testid=now] b')?.textContent?.startsWith('00:5') === true,
    )
    const cut = (await folder.json('state', 'run.ndjson', '--at', '3000')) as Replay
    await part.locator('[data-testid=moment]', { hasText: inWords(cut) }).waitFor()
    expect(viewer.requests.filter((url) => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual([])
    expect(viewer.complaints).toEqual([])
  })

  it('a page of export --to html shows figures for the times of the exported part', async () => {
    const folder = new Folder()
    const records = recordsOf(folder, await folder.log())
    await folder.json('export', 'run.ndjson', '--to', 'html', '--from', '3000', '--until', '4000', '--out', 'part.html')
    const page = await viewer.open(`${new URL('part.html', pathToFileURL(`${folder.path}/`)).href}#tab=figures`)
    const fold = new MetricsFold({ window: { from: 3000, until: 4000 } })
    for (const record of records) fold.add(record)
    const { utilization, jobs } = fold.result()
    await page.locator('.panels', { hasText: 'utilization, in these times' }).waitFor()
    const figures = await page.locator('.panels').textContent()
    expect(figures).toContain(`utilization, in these times${(100 * utilization.overall!).toFixed(2)} %`)
    expect(figures).toContain(`jobs${jobs.submitted}: ${jobs.finished} finished`)
    expect(figures).toContain('figures of00:50:00 to 01:06:40')
    expect(figures).not.toMatch(/steady|makespan|internal fragmentation/)
    expect(await page.getByTestId('status-a').textContent()).toBe('part of a run, 00:50:00 to 01:06:40')
    // The slider of times covers exactly the exported part.
    const scrub = page.getByRole('slider', { name: 'Time' })
    expect([await scrub.getAttribute('min'), await scrub.getAttribute('max')]).toEqual(['3000', '4000'])
    expect(await scrub.getAttribute('aria-valuetext')).toBe('00:50:00')
    expect(viewer.complaints).toEqual([])
  })

  it('the viewer can be used by keyboard alone, and every control has a name', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await viewer.open(await viewer.serve(folder.path, 'run.ndjson'))
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByRole('tab', { name: 'Queue' }).focus()
    await page.keyboard.press('ArrowRight')
    expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Job')
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll('button, select, input, [role=img]')]
        .filter(
          (element) =>
            ((element as HTMLElement).innerText ?? '').trim() === '' &&
            element.getAttribute('aria-label') === null &&
            element.closest('label') === null,
        )
        .map((element) => element.outerHTML),
    )
    expect(nameless).toEqual([])
    await page.locator('[role=status].hidden', { hasText: 'jobs run' }).waitFor({ state: 'attached' })
  })

  it('the viewer has a dark theme, and keeps the layout while the page loads', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await viewer.open(`${await viewer.serve(folder.path, 'run.ndjson')}#theme=dark`)
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(24, 25, 28)')
    const boxes = async () => Promise.all(['gantt-a', 'fabric-a'].map(async (id) => page.getByTestId(id).boundingBox()))
    const before = await boxes()
    await clickGantt(page, { x: 0.9, y: 0.9 })
    await page.keyboard.press('q')
    await page.waitForTimeout(500)
    expect(await boxes()).toEqual(before)
  })

  it('the viewer draws dark timelines after a switch to the dark theme', async () => {
    const folder = new Folder()
    await folder.log()
    const page = await viewer.open(`${await viewer.serve(folder.path, 'run.ndjson')}#theme=light`)
    await page.locator('.timelines .plot canvas').first().waitFor()
    await page.evaluate(() => {
      location.hash = 't=7200&zoom=4000,9000&fold=&tab=queue&theme=dark'
    })
    await page.waitForFunction(() => document.documentElement.dataset['theme'] === 'dark')
    // The lines of the grid are nearly white in the light theme, and dark in the dark theme.
    await page.waitForFunction(() =>
      [...document.querySelectorAll<HTMLCanvasElement>('.timelines .plot canvas')].every((canvas) => {
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
        let light = 0
        for (let at = 0; at < data.length; at += 4)
          if (Math.min(data[at], data[at + 1], data[at + 2]) > 200 && data[at + 3] > 200) light++
        return light === 0
      }),
    )
  })

  it('the viewer reads a large log piece by piece, and the next time by the index file', async () => {
    const folder = new Folder()
    expect(
      folder.process(
        'simulate',
        '--trace',
        'synth:16:12000',
        '--topology',
        'radix:16',
        '--policy',
        'jigsaw',
        '--out',
        'large.ndjson',
      ).code,
    ).toBe(0)
    for (let time = 0; time < 2; time++) {
      const page = await viewer.open(await viewer.serve(folder.path, 'large.ndjson'))
      await page.getByRole('tab', { name: 'Figures' }).click()
      await page.getByText('12,000: 12,000 finished').waitFor()
      await page.keyboard.press('End')
      await page.getByRole('tab', { name: 'Queue' }).click()
      await page.getByText('No job waits at this moment.').waitFor()
    }
    expect(viewer.complaints).toEqual([])
  })
})

function headerOf(record: LogRecord): LogHeader {
  if (record.type !== 'header') throw new Error('a log begins with its header')
  const {
    seq: _seq,
    type: _type,
    format: _format,
    version: _version,
    revision: _revision,
    topology: _topology,
    names: _names,
    ...header
  } = record
  return { ...header, options: { ...header.options, refusals: true } }
}

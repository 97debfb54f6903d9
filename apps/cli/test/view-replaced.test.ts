/** Tests of the viewer in Chromium with a log file that is replaced while the page shows the log. */
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Folder } from './cloister.ts'
import { hasChromium, Viewer, withoutChromium } from './viewer-page.ts'

const viewer = Viewer.ofTests()

describe.skipIf(!hasChromium)(`a log that is replaced${hasChromium ? '' : ` (${withoutChromium})`}`, () => {
  it('the viewer shows a log without an error after many replacements of the file, at once or piece by piece', async () => {
    const folder = new Folder()
    await folder.log('live.ndjson')
    await folder.log('other.ndjson', 'baseline')
    const live = join(folder.path, 'live.ndjson')
    const logs = ['live.ndjson', 'other.ndjson'].map((name) => readFileSync(join(folder.path, name)))
    const page = await viewer.open(await viewer.serve(folder.path, 'live.ndjson'))
    // The pointer moves over the jobs while the jobs of the new log arrive.
    await page.route('**/growth?*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      await route.continue().catch(() => {})
    })
    const { x, y, width, height } = (await page.getByTestId('gantt-a').boundingBox())!
    const movesPointer = async (times: number): Promise<void> => {
      for (let at = 0; at < times; at++) {
        await page.mouse.move(x + width * (0.2 + 0.1 * (at % 7)), y + height / 2)
        await page.waitForTimeout(20)
      }
    }
    for (let turn = 1; turn <= 8; turn++) {
      const bytes = logs[turn % 2]
      const pieces = turn % 3 === 0 ? 1 : 5
      const file = openSync(live, 'w')
      for (let piece = 0; piece < pieces; piece++) {
        writeSync(file, bytes.subarray((piece / pieces) * bytes.length, ((piece + 1) / pieces) * bytes.length))
        await movesPointer(1 + ((turn + piece) % 4))
      }
      closeSync(file)
      await movesPointer(20 * (turn % 4))
    }
    await page.locator('header.page', { hasText: 'jigsaw on radix:6' }).waitFor()
    writeFileSync(live, logs[1])
    await page.locator('header.page', { hasText: 'baseline on radix:6' }).waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    expect(viewer.complaints).toEqual([])
  })

  it('the viewer answers every request about a replaced log until the server notices the replacement', async () => {
    const folder = new Folder()
    await folder.log('run.ndjson')
    await folder.log('other.ndjson', 'baseline')
    const other = readFileSync(join(folder.path, 'other.ndjson'))
    const url = await viewer.serve(folder.path, 'run.ndjson')
    const ask = async (name: string, question: object): Promise<number> =>
      (await fetch(`${url}run/a/${name}?q=${encodeURIComponent(JSON.stringify(question))}`)).status
    await expect.poll(() => ask('moment', { seq: 900 })).toBe(200)
    expect(await ask('why', { seq: 900 })).toBe(200)
    writeFileSync(join(folder.path, 'run.ndjson'), other)
    for (const [name, seq] of [
      ['moment', 300],
      ['why', 301],
      ['moment', 302],
    ] as const)
      expect([200, 202], name).toContain(await ask(name, { seq }))
    await expect.poll(() => ask('moment', { seq: 303 })).toBe(200)
    expect(await ask('why', { seq: 303 })).toBe(200)
    // A request for the former generation of the log gets only the answer that the log was replaced.
    const of = async (name: string, generation: number): Promise<number> =>
      (await fetch(`${url}run/a/${name}?of=${generation}`)).status
    expect([await of('metrics', 0), await of('overview', 1), await of('metrics', 1)]).toEqual([202, 200, 200])
  })

  it('the viewer answers every request with status 202 if the new file of a replaced log is empty', async () => {
    const folder = new Folder()
    await folder.log('run.ndjson')
    const bytes = readFileSync(join(folder.path, 'run.ndjson'))
    const url = await viewer.serve(folder.path, 'run.ndjson')
    const ask = async (name: string, question: object): Promise<number> =>
      (await fetch(`${url}run/a/${name}?q=${encodeURIComponent(JSON.stringify(question))}`)).status
    await expect.poll(() => ask('why', { seq: 900 })).toBe(200)
    for (const written of [bytes.subarray(0, 0), bytes.subarray(0, 200)]) {
      writeFileSync(join(folder.path, 'run.ndjson'), written)
      // The first request after the replacement makes the server notice the replacement. Later answers have nothing of
      // the former log.
      for (const name of ['why', 'moment', 'why', 'relief', 'record', 'why'])
        expect(await ask(name, { seq: 300 }), name).toBe(202)
    }
    writeFileSync(join(folder.path, 'run.ndjson'), bytes)
    await expect.poll(() => ask('why', { seq: 900 })).toBe(200)
  })
})

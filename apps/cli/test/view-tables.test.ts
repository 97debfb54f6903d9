/** Tests of the viewer in Chromium: tables of the log, saved as files. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Folder, small } from './cloister.ts'
import { hasChromium, Viewer, withoutChromium } from './viewer-page.ts'

const viewer = Viewer.ofTests('file')
let folder: Folder
let url = ''

beforeAll(async () => {
  if (!hasChromium) return
  folder = new Folder(afterAll)
  await folder.cloister('simulate', ...small, '--policy', 'jigsaw', '--out', 'run.ndjson')
  await folder.cloister('export', 'run.ndjson', '--out', 'run.html')
  url = await viewer.serve(folder.path, 'run.ndjson')
})
afterEach(() => {
  expect(viewer.complaints).toEqual([])
})

/** Opens the panel of the tables, saves a table, and returns the name and the bytes of the file. */
async function saved(page: Page, label: string): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  await page.getByRole('tab', { name: 'Tables' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: label, exact: true }).click(),
  ])
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) }
}

describe.skipIf(!hasChromium)(`tables in the viewer${hasChromium ? '' : ` (${withoutChromium})`}`, () => {
  const files = [
    ['jobs', 'Parquet', 'jobs.parquet'],
    ['allocations', 'Arrow', 'allocations.arrows'],
    ['decisions', 'CSV', 'decisions.csv'],
    ['queue', 'NDJSON', 'queue.ndjson'],
  ] as const

  it.each(files)('the panel saves the table %s as %s like `cloister export`', async (table, format, name) => {
    await folder.cloister('export', 'run.ndjson', '--table', table, '--out', name)
    const expected = readFileSync(join(folder.path, name))
    for (const address of [url, pathToFileURL(join(folder.path, 'run.html')).href]) {
      const page = await viewer.open(address)
      const file = await saved(page, `Save the table ${table} as ${format}`)
      expect(file.name).toBe(name)
      expect(file.bytes.equals(expected)).toBe(true)
      await page.close()
    }
  })
})

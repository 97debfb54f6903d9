/** Tests of the viewer in Chromium with logs of format version 1, under every policy and queue discipline. */
import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Folder } from './cloister.ts'
import { hasChromium, inWords, type Replay, showsRecord, Viewer, withoutChromium } from './viewer-page.ts'

const oldLogs = join(import.meta.dirname, '../../../packages/run/test/version-1')
const logs = readdirSync(oldLogs).filter((name) => name.endsWith('.zst'))

interface Measured {
  readonly jobs: { readonly submitted: number; readonly finished: number }
}

describe.skipIf(!hasChromium)(`version 1 logs in Chromium${hasChromium ? '' : ` (${withoutChromium})`}`, () => {
  const viewer = Viewer.ofTests()

  it.each(logs)(
    'the viewer shows %s with the same state as cloister state, and the same metrics as cloister metrics',
    async (log) => {
      const folder = new Folder()
      copyFileSync(join(oldLogs, log), join(folder.path, log))
      const { jobs } = (await folder.json('metrics', log)) as Measured
      const url = await viewer.serve(folder.path, log)
      const seq = 120
      const page = await viewer.open(`${url}#seq=${seq}&tab=queue`)
      await showsRecord(page, seq)
      const state = (await folder.json('state', log, '--seq', String(seq))) as Replay
      await page
        .getByTestId('moment')
        .filter({ hasText: inWords(state) })
        .waitFor()
      await page.getByRole('tab', { name: 'Figures' }).click()
      await page.getByText(`${jobs.submitted}: ${jobs.finished} finished`).waitFor()
      expect(viewer.complaints).toEqual([])
    },
  )
})

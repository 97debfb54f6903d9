import { Files, fileSystem } from '@cloister/run/node'
import { Effect } from 'effect'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { changeNotes, notesPath, readNotes } from '@cloister/viewer/server'
import { complaint, Folder } from './cloister.ts'

const disk = Effect.runSync(
  Effect.provide(
    Effect.gen(function* () {
      return yield* Files
    }),
    fileSystem,
  ),
)

it('the viewer writes notes into a file beside the log, removes notes, and exports the notes with the log', async () => {
  const folder = new Folder()
  const log = join(folder.path, await folder.log())
  const [first, second] = [
    { address: 't=5', text: 'it begins' },
    { address: 't=9&tab=queue', text: '</script><b>it ends' },
  ]
  expect(readNotes(disk, log)).toEqual([])
  changeNotes(disk, log, JSON.stringify({ add: first }))
  expect(changeNotes(disk, log, JSON.stringify({ add: second }))).toEqual([first, second])
  expect(changeNotes(disk, log, JSON.stringify({ remove: first }))).toEqual([second])
  expect(changeNotes(disk, log, JSON.stringify({ remove: first }))).toEqual([second])
  expect(readNotes(disk, log)).toEqual([second])
  await folder.json('export', 'run.ndjson', '--to', 'html', '--out', 'run.html')
  const page = readFileSync(join(folder.path, 'run.html'), 'utf8')
  const [, embedded] = /<script type="application\/json" id="notes-a">([^<]*)<\/script>/.exec(page) ?? []
  expect(JSON.parse(embedded)).toEqual([second])
  expect(() => changeNotes(disk, log, '{"add":{"text":"of what?"}}')).toThrow('address')
  expect(() => changeNotes(disk, log, JSON.stringify({ add: { address: '', text: 'x'.repeat(4001) } }))).toThrow(
    'the text of the note has 4001 characters, expected at most 4000',
  )
  writeFileSync(notesPath(log), '[]')
  expect(complaint(await folder.cloister('export', 'run.ndjson', '--to', 'html', '--out', 'again.html'))).toContain(
    'run.ndjson.notes.json is no file of notes',
  )
})

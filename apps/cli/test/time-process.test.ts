import { join } from 'node:path'
import { Effect, Schema } from 'effect'
import { expect, it } from 'vitest'
import { timeProcess } from '../src/bench/timing.ts'
import { messageOf } from '../src/errors/message.ts'
import { childProcess } from '../src/bench/fresh-process.ts'
import { Folder } from './cloister.ts'

it.each([
  ['console.log("hello")', 'found the output "hello\\n", expected the figures of a run as JSON'],
  ['console.log("{}")', 'found the output "{}\\n", expected the figures of a run as JSON'],
  ['console.error("no such command"); process.exit(1)', 'no such command'],
])(
  'timeProcess fails for a program that is no Cloister, with the output or the error of the program: %s',
  async (source, told) => {
    const folder = new Folder()
    const program = join(folder.path, folder.write('other.js', source))
    const figures = Schema.fromJsonString(Schema.Struct({ jobs: Schema.Number }))
    const failure = await Effect.runPromise(
      timeProcess(figures, ['simulate', '--json'], program).pipe(Effect.provide(childProcess), Effect.flip),
    )
    expect(messageOf(failure)).toBe(`${program} simulate --json: the command failed in a separate process: ${told}`)
  },
)

import { named, number, optional, text } from './kinds.ts'

export const ErrorAsJson = named(
  'ErrorAsJson',
  'Error of a command with --json. A field is absent if the error does not know the field.',
  {
    error: text('Message for people; may have several lines.'),
    kind: text('Kind of the error, such as `TraceError`, `OptionError` or `UnrecognizedOption`.'),
    exitCode: number('Exit code of the command.'),
    option: optional(text('Option without dashes, or argument.')),
    file: optional(text('Path of the wrong or missing file.')),
    line: optional(number('Line of the file, from 1.')),
    field: optional(text('Field of the line, or of the file.')),
    found: optional(text('Text or value that was found.')),
    expected: optional(text('Texts or values that are allowed.')),
  },
)
export type ErrorAsJson = typeof ErrorAsJson.Type

/** Results of commands with `--json`, by command. */
export const errorResults = { error: ErrorAsJson }

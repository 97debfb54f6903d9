import { describeOutcome } from '@cloister/eventlog'
import { type OptionError, type PolicyFailedError, flagOf, runOptions, type TaggedProblem } from '@cloister/run'
import { lookupRule } from '../policy/lookup-rule.ts'
import { visibleOnOneLine } from '../terminal/output.ts'
import { bytes } from '../terminal/quantities.ts'
import type { CommandError } from './errors.ts'
import { describeThrown } from './thrown.ts'

type Known = CommandError | OptionError | PolicyFailedError | (TaggedProblem & { readonly _tag: 'FoldError' })

/** What people read of each error. */
const messages: { readonly [Tag in Known['_tag']]: (error: Extract<Known, { readonly _tag: Tag }>) => string } = {
  OptionError: ({ option, reason }) => `--${isRunOption(option) ? flagOf(option) : option}: ${reason}`,
  OptionConflictError: ({ options, reason }) => `${options.join(' and ')} ${reason}`,
  SystemError: ({ code, path, cause }) => {
    const reason = systemReasons[code]
    return reason === undefined || path === undefined ? cause.message : `${path}: ${reason}`
  },
  FileExistsError: ({ path, remedy }) => `${path} exists; ${remedy}`,
  UnreadableLogError: ({ path, outcome }) => `${path}: ${describeOutcome(outcome)}`,
  LogContentError: ({ path, cause }) => `${path}: ${messageOf(cause)}`,
  // What a log says of its jobs stands in these.
  FoldError: ({ message }) => visibleOnOneLine(message),
  NoRecordError: ({ path, option, value, last }) =>
    last === undefined
      ? `${path}: no record is at or before ${option} ${value}`
      : `${path}: there is no record ${value}; the last one is ${last}`,
  NoJobError: ({ path, job }) => `${path}: no job ${JSON.stringify(job)} was submitted`,
  UnroutableError: ({ subject, reason }) => `${subject} cannot be routed: ${reason}`,
  PageTooLargeError: ({ path, limit }) =>
    `${path}: a page holds at most ${bytes(limit)} of a log, this is more; --from and --until take a part of the run`,
  NoPolicyError: ({ name, suggestion }) =>
    `there is no policy ${JSON.stringify(name)}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}\n${lookupRule}`,
  NoBuiltInPolicyError: ({ name }) =>
    `there is no policy ${JSON.stringify(name)} built in, and no log decides what other code is loaded: --policy says where the policy is`,
  ImportError: ({ specifier, cause }) => `${specifier} does not load: ${reasonNotToLoad(cause)}`,
  InvalidPolicyError: ({ specifier, problems, exported }) =>
    problems.length === 0
      ? `${specifier} has no default export; it should be the policy (exported are: ${exported.join(', ') || 'nothing'})`
      : `the default export of ${specifier} is no placement policy:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
  PolicyFailedError: ({ policy, origin, calling, cause }) =>
    `policy ${policy} (${origin}) failed in ${calling}: ${describeThrown(cause)}`,
  MissingPackageError: ({ need, specifier }) =>
    `${need}, which is not installed in the working directory: npm install ${specifier}`,
  ConversionError: ({ option, program, path, cause }) =>
    `${option}: ${program} could not write ${path}: ${cause instanceof Error ? cause.message : String(cause)}`,
}

const systemReasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EACCES: 'permission denied',
  EEXIST: 'exists already',
  ENOSPC: 'the disk is full',
}

/** What people read of an error. Errors of our packages say it themselves. */
export function messageOf(error: TaggedProblem): string {
  const message = (messages as { readonly [tag: string]: (error: any) => string })[error._tag]
  return message === undefined ? error.message : message(error)
}

function isRunOption(name: string): name is keyof typeof runOptions {
  return Object.hasOwn(runOptions, name)
}

function reasonNotToLoad(cause: unknown): string {
  if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return `Node ${process.versions.node} imports no TypeScript; Node 22.18 and newer do`
  return describeThrown(cause)
}

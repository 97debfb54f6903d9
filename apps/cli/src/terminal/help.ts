import { flagOf, optionOf, runOptionNames } from '@cloister/run'
import { Option } from 'effect'
import type { HelpDoc } from 'effect/cli'

/** Widest line of help, in characters. */
const WIDEST = 100

/** Least number of options of a command whose help shows the options in groups instead of in one list. */
const MANY = 9

/**
 * Returns the help of a command, wrapped at the width of the terminal and at most `WIDEST` characters wide. Names of
 * options and commands of examples are never cut.
 */
export function helpText(doc: HelpDoc.HelpDoc, columns: number): string {
  const width = Math.min(columns, WIDEST)
  const isProgram = doc.commandPath?.length === 1
  const sections = [
    wrap(doc.description, width, ''),
    section('Usage', [`  ${doc.usage}`]),
    section(
      'Arguments',
      (doc.args ?? []).map((arg) => entry(`${arg.name}${arg.variadic ? '...' : ''}`, arg.description, width)),
    ),
    ...groupsOf(doc.flags).map(([group, flags]) =>
      section(
        group,
        flags.map((flag) => flagEntry(flag, width)),
      ),
    ),
    ...(doc.subcommands ?? []).map(({ group = 'Commands', commands }) =>
      section(
        group,
        commands.map((command) => commandLine(command, width)),
      ),
    ),
    ...(isProgram
      ? [
          section(
            'Options',
            (doc.globalFlags ?? []).map((flag) => flagEntry(flag, width)),
          ),
        ]
      : []),
    section(
      'Examples',
      (doc.examples ?? []).map(({ command, description = '' }) => `  # ${description}\n  ${command}`),
    ),
    ...(isProgram ? ['`cloister help COMMAND` describes a command and its options.'] : []),
  ]
  return sections.filter((text) => text !== '').join('\n\n')
}

function section(title: string, entries: ReadonlyArray<string>): string {
  return entries.length === 0 ? '' : [`${title.toUpperCase()}`, ...entries].join('\n')
}

/** Returns the flags of a command in groups, in the order of the help. A command with few flags has a single group. */
export function groupsOf(
  flags: ReadonlyArray<HelpDoc.FlagDoc>,
): ReadonlyArray<readonly [group: string, flags: ReadonlyArray<HelpDoc.FlagDoc>]> {
  if (flags.length < MANY) return [['Options', flags]]
  const groups = new Map<string, Array<HelpDoc.FlagDoc>>(groupOrder.map((group) => [group, []]))
  for (const flag of flags) groups.get(groupOfFlag.get(flag.name) ?? 'other options')!.push(flag)
  return [...groups].filter(([, members]) => members.length > 0)
}

/**
 * Names of the flags in each group of the help, for the flags that are no options of a run. The table `runOptions` of
 * @cloister/run has the group of each option of a run.
 */
const otherGroups = {
  jobs: ['trace-dir', 'jobs', 'shared', 'partition', 'where', 'by', 'traces', 'first-jobs'],
  machine: ['events', 'nodes'],
  policy: ['max-questions', 'policy-timeout', 'shadow'],
  'Slurm and its network': [
    'interval',
    'polls',
    'start-within',
    'command-seconds',
    'rest',
    'rest-token-file',
    'rest-user',
    'opensm-routes',
    'opensm-pid-file',
    'routes-within',
    'metrics-port',
    'metrics-host',
    'otlp',
    'dry-run',
  ],
  'several processes': [
    'workers',
    'processes',
    'shard',
    'claim',
    'postgres',
    'lease',
    'lease-seconds',
    'retry',
    'verify',
    'emit',
    'shards',
    'sample',
  ],
  picture: [
    'of',
    'beside',
    'marks',
    'scale',
    'names',
    'x-range',
    'y-range',
    'time',
    'panels',
    'patterns',
    'width',
    'height',
    'width-mm',
    'height-mm',
    'type-pt',
    'font',
  ],
  output: [
    'out',
    'csv',
    'vega',
    'force',
    'resume',
    'sync',
    'keep-logs',
    'max-bytes',
    'anonymise',
    'print-experiment',
    'json',
  ],
} as const satisfies Record<string, ReadonlyArray<string>>

const groupOfFlag = new Map<string, string>([
  ...Object.entries(otherGroups).flatMap(([group, names]) => names.map((name) => [name, group] as const)),
  ...runOptionNames.map((name) => [flagOf(name), optionOf(name).group] as const),
])
const groupOrder = ['jobs', 'machine', 'policy', 'queue', 'run times', ...Object.keys(otherGroups), 'other options']

function flagEntry({ aliases, ...flag }: HelpDoc.FlagDoc, width: number): string {
  const { name, value, about } = flagParts(flag)
  const values = value === '' ? '' : ` ${value}`
  return entry([name, ...aliases].join(', ') + values + (flag.required ? ' (required)' : ''), about, width)
}

/** Returns the name of a flag as typed, the metavariable or the choices of its value, and its description. */
export function flagParts({ name, type, description }: Pick<HelpDoc.FlagDoc, 'name' | 'type' | 'description'>): {
  readonly name: string
  readonly value: string
  readonly about: Option.Option<string>
} {
  const value = type === 'boolean' ? '' : type === 'choice' ? choicesIn(description).join('|') : type
  return { name: `--${name}`, value, about: Option.map(description, withoutChoices) }
}

/** Text with the choices of a value that Effect appends to the description of an option. */
const CHOICES = / ?\(choices: ([^()]*)\)$/

function choicesIn(description: Option.Option<string>): ReadonlyArray<string> {
  return CHOICES.exec(Option.getOrElse(description, () => ''))?.[1].split(', ') ?? []
}

function withoutChoices(description: string): string {
  return description.replace(CHOICES, '')
}

/** Returns names with texts below, wrapped like the help at the width of the terminal. */
export function entries(named: ReadonlyArray<readonly [name: string, text: string]>, columns: number): string {
  return named.map(([name, text]) => entry(name, Option.some(text), Math.min(columns, WIDEST))).join('\n')
}

function entry(name: string, description: Option.Option<string>, width: number): string {
  const text = Option.getOrElse(description, () => '')
  return [`  ${name}`, ...(text === '' ? [] : [wrap(text, width, '      ')])].join('\n')
}

function commandLine({ name, shortDescription, description }: HelpDoc.SubcommandDoc, width: number): string {
  const [first = '', ...rest] = wrap(firstLine(shortDescription ?? description), width - 16, '').split('\n')
  return [`  ${name.padEnd(14)}${first}`, ...rest.map((line) => `${' '.repeat(16)}${line}`)].join('\n')
}

function firstLine(description: string): string {
  return description.split('\n', 1)[0]
}

/** Breaks the lines of a text at spaces to at most `width` characters, with the indent. A longer word stays whole. */
function wrap(text: string, width: number, indent: string): string {
  const lines = text.split('\n').flatMap((line) => {
    const wrapped: Array<string> = []
    for (const word of line.split(' ')) {
      const last = wrapped.at(-1)
      if (last !== undefined && indent.length + last.length + 1 + word.length <= width)
        wrapped[wrapped.length - 1] = `${last} ${word}`
      else wrapped.push(word)
    }
    return wrapped
  })
  return lines.map((line) => `${indent}${line}`).join('\n')
}

import { Reporter } from '@cloister/cluster'
import { OptionError } from '@cloister/run'
import { topologySpecs } from '@cloister/topology'
import { Effect } from 'effect'
import { Flag } from 'effect/cli'
import { messageOf } from '../errors/message.ts'
import { remark, visibleOnOneLine } from '../terminal/output.ts'
import { integerFlag, textFlag } from './flags.ts'

/** Prints each remark of a command that follows a real machine on one line, because remarks quote text of users. */
export const withVisibleRemarks: <A, E, R>(program: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =
  Effect.provideService(Reporter, { remark: (text) => remark(visibleOnOneLine(text)), describe: messageOf })

/** Flag for the topology of a real machine. */
export const machineFlag = textFlag(
  'topology',
  'TOPOLOGY',
  `Topology of the machine, with the names of the nodes\nForms: ${topologySpecs.map(({ spec }) => spec).join(' ')}.`,
)

/** Flags of `cloister observe slurm` and `cloister drive`, the commands that follow a real machine. */
export const clusterFlags = {
  topology: machineFlag,
  polls: integerFlag(
    'polls',
    'N',
    'Stop after N queries of Slurm\nDefault: the command runs until a signal stops it.',
  ).pipe(Flag.optional),
}

/** Flag for the log of a real machine. If the log exists, the command appends to the log. */
export const continuedLogFlag = textFlag(
  'out',
  'FILE',
  'Event log to write\nIf FILE is the log of an earlier call, the command appends to FILE.',
)

/** Fails unless the value of an option is a time of 0.1 to 3600 seconds. */
export function checkSeconds(option: string, found: number): Effect.Effect<void, OptionError> {
  if (found >= 0.1 && found <= 3600) return Effect.void
  return Effect.fail(new OptionError({ option, reason: `found ${found}, expected 0.1 to 3600 seconds` }))
}

/** Fails if the name of the log of a real machine is that of a compressed file. */
export function checkContinuedLog(out: string): Effect.Effect<void, OptionError> {
  if (!out.endsWith('.zst')) return Effect.void
  const reason = 'the log of a real machine cannot be compressed, expected a name without .zst'
  return Effect.fail(new OptionError({ option: 'out', reason }))
}

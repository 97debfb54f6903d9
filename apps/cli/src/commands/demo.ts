import { Command } from 'effect/cli'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const demo = Command.make(
  'demo',
  { json: jsonFlag },
  onDemand(async () => (await import('../demo/demo.ts')).demonstratePolicies),
).pipe(
  Command.withDescription(
    'Simulate a trace under two policies, and compare them\nKeeps the logs of Baseline and Jigsaw in runs/.',
  ),
)

import { Command } from 'effect/cli'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const demo = Command.make(
  'demo',
  { json: jsonFlag },
  onDemand(async () => (await import('../demo/demo.ts')).demonstratePolicies),
).pipe(Command.withDescription('Simulate one trace under baseline and jigsaw, keep the logs in runs/, and compare'))

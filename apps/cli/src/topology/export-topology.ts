import { formatIbnetdiscover, formatTopologyConf, formatTopologyYaml, type Topology } from '@cloister/topology'
import { Effect, Option } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { checkOutput } from '../files/outputs.ts'
import { Files } from '../files/files.ts'
import { inputFiles } from '../run/input-files.ts'
import { Terminal } from '../terminal/terminal.ts'
import type { TopologyFormat } from './topology-formats.ts'
import { findTopology } from './topology-lookup.ts'

const formatOf: Readonly<Record<TopologyFormat, (topology: Topology) => string>> = {
  'slurm-conf': formatTopologyConf,
  'slurm-yaml': formatTopologyYaml,
  ibnetdiscover: (topology) => formatIbnetdiscover(topology),
}

export interface ExportTopologyOptions {
  readonly spec: string
  readonly to: TopologyFormat
  readonly out: Option.Option<string>
  readonly force: boolean
}

export const exportTopology = Effect.fn(function* ({ spec, to, out, force }: ExportTopologyOptions) {
  const files = yield* Files
  if (Option.isSome(out)) {
    const inputs = inputFiles(files, out.value, [{ topology: spec }], undefined)
    yield* attempt(() => checkOutput(files, out.value, { force, inputs }))
  }
  const topology = yield* findTopology(spec)
  const text = yield* attempt(() => formatOf[to](topology))
  if (Option.isNone(out)) return (yield* Terminal).write(text)
  yield* attempt(() => files.writeText(out.value, text, force ? 'overwrite' : 'refuse'))
})

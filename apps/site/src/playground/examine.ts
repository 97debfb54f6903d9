import { auditLog } from '@cloister/audit'
import { readLog } from '@cloister/eventlog'
import { computeMetrics } from '@cloister/metrics'
import type { Examined } from './questions.ts'
import { sha256 } from './simulate.ts'

/** Audits and measures a log, whoever wrote it. @throws where it is no log that can be measured */
export async function examine(log: Uint8Array): Promise<Examined> {
  const from = performance.now()
  const audit = auditLog([log], sha256)
  const metrics = computeMetrics(readLog([log], sha256))
  const stream = new Blob([log as BlobPart]).stream().pipeThrough(new CompressionStream('gzip'))
  const embedded = base64(new Uint8Array(await new Response(stream).arrayBuffer()))
  return { audit, metrics, embedded, seconds: (performance.now() - from) / 1000 }
}

function base64(bytes: Uint8Array): string {
  let text = ''
  // A call takes so many arguments.
  for (let at = 0; at < bytes.length; at += 2 ** 14) text += String.fromCharCode(...bytes.subarray(at, at + 2 ** 14))
  return btoa(text)
}

import { auditLog } from '@cloister/audit'
import { readLog } from '@cloister/eventlog'
import { computeMetrics } from '@cloister/metrics'
import { checkAsked } from './asked-run.ts'
import type { AskedRun, Examined } from './questions.ts'
import { inputsOf, policiesWith, sha256 } from './simulate.ts'

/**
 * Audits a log and computes the metrics of the log, also for a false log from a user's code.
 *
 * @param asked requested run, which the log must match; undefined for a log from a built-in policy
 * @throws Error if the log cannot be measured, or if the log does not match `asked`
 */
export async function examine(log: Uint8Array, asked: AskedRun | undefined): Promise<Examined> {
  const from = performance.now()
  if (asked !== undefined)
    await checkAsked(log, asked.spec, sha256, await inputsOf(asked.file), policiesWith(undefined).find)
  const audit = auditLog([log], sha256)
  const metrics = computeMetrics(readLog([log], sha256))
  const stream = new Blob([log as BlobPart]).stream().pipeThrough(new CompressionStream('gzip'))
  const embedded = base64(new Uint8Array(await new Response(stream).arrayBuffer()))
  return { audit, metrics, embedded, seconds: (performance.now() - from) / 1000 }
}

function base64(bytes: Uint8Array): string {
  let text = ''
  // A call can only have a limited number of arguments, so `String.fromCharCode` gets the bytes in pieces.
  for (let at = 0; at < bytes.length; at += 2 ** 14) text += String.fromCharCode(...bytes.subarray(at, at + 2 ** 14))
  return btoa(text)
}

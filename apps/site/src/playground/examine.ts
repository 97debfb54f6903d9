import { auditLog } from '@cloister/audit'
import { readLog } from '@cloister/eventlog'
import { computeMetrics } from '@cloister/metrics'
import { checkAsked } from './asked-run.ts'
import type { AskedRun, Examined } from './questions.ts'
import { inputsOf, policiesWith, sha256 } from './simulate.ts'

/**
 * Audits a log and computes the metrics of the log, also for a false log from a user's code.
 *
 * @param asked run that the log must be of; undefined if the page itself made the log
 * @throws Error if the log cannot be measured, or if the log is not the log of `asked`
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
  // A call of a function can only have a limited number of arguments, so the bytes are passed in pieces.
  for (let at = 0; at < bytes.length; at += 2 ** 14) text += String.fromCharCode(...bytes.subarray(at, at + 2 ** 14))
  return btoa(text)
}

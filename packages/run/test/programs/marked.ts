import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

/** Returns a function that lists the ids of the living processes that this test file has started. Linux only. */
export function marked(): () => ReadonlyArray<string> {
  const mark = randomUUID()
  process.env['CLOISTER_TEST'] = mark
  const isOurs = (pid: string): boolean => {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) return false
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`CLOISTER_TEST=${mark}`)
    } catch {
      return false
    }
  }
  return () => readdirSync('/proc').filter(isOurs)
}

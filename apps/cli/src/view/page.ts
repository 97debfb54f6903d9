import { readFileSync } from 'node:fs'

/** The viewer's page: one file beside this program. */
export function viewerPage(): string {
  return readFileSync(new URL('./viewer.html', import.meta.url), 'utf8')
}

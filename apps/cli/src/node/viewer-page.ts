import { readFileSync } from 'node:fs'
import { Layer } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { ViewerPage } from '../view/viewer-page.ts'

/** Page in a file beside this program. */
export const installedPage: Layer.Layer<ViewerPage> = Layer.succeed(ViewerPage, {
  read: attempt(() => readFileSync(new URL('./viewer.html', import.meta.url), 'utf8')),
})

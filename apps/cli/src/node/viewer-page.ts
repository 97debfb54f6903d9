import { attempt } from '@cloister/run/node'
import { Layer } from 'effect'
import { readFileSync } from 'node:fs'
import { ViewerPage } from '../view/services.ts'

/** Service that reads the page of the viewer from viewer.html beside this program. */
export const installedPage: Layer.Layer<ViewerPage> = Layer.succeed(ViewerPage, {
  read: attempt(() => readFileSync(new URL('./viewer.html', import.meta.url), 'utf8')),
})

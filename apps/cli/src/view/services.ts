import { attempt, type TaggedProblem } from '@cloister/run'
import { runsIn, StoredRuns } from '@cloister/viewer/server'
import { Context, type Effect, Layer } from 'effect'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { userCache } from '../user-cache.ts'

/** Service to open the browser of the user. */
export class Browser extends Context.Service<
  Browser,
  {
    /** Opens an address. Other users can read the address in the list of processes. Does nothing without a browser. */
    readonly open: (url: string) => void
  }
>()('cloister/Browser') {}

const openers: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: ReadonlyArray<string>]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

export const userBrowser: Layer.Layer<Browser> = Layer.succeed(Browser, {
  open: (url) => {
    const [command, ...args] = openers[process.platform] ?? ['xdg-open']
    // Loads node:child_process here, because of all commands only `view` needs a browser.
    const { spawn } = process.getBuiltinModule('node:child_process')
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
    child.on('error', () => {})
    child.unref()
  },
})

/** Service that reads the HTML page of the viewer, without a log inside. */
export class ViewerPage extends Context.Service<ViewerPage, { readonly read: Effect.Effect<string, TaggedProblem> }>()(
  'cloister/ViewerPage',
) {}

/** Service that reads the page of the viewer from viewer.html beside this program. */
export const installedPage: Layer.Layer<ViewerPage> = Layer.succeed(ViewerPage, {
  read: attempt(() => readFileSync(new URL('./viewer.html', import.meta.url), 'utf8')),
})

/** Returns the SHA-256 of cloister.js. It identifies the build: cloister.js names the hash of every other file. */
const ownBuild = (): string =>
  process
    .getBuiltinModule('node:crypto')
    .createHash('sha256')
    .update(readFileSync(new URL('./cloister.js', import.meta.url)))
    .digest('hex')

/** Store of runs in the cache folder of the user. */
export const userRuns: Layer.Layer<StoredRuns> = Layer.succeed(StoredRuns, runsIn(join(userCache, 'runs'), ownBuild))

import { Layer } from 'effect'
import { Browser } from '../view/browser.ts'

const openers: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: ReadonlyArray<string>]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Shows an address in whatever browser the user has; where there is none, nothing happens. */
function openBrowser(url: string): void {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open']
  // Loaded here: one command alone needs it.
  const { spawn } = process.getBuiltinModule('node:child_process')
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

export const userBrowser: Layer.Layer<Browser> = Layer.succeed(Browser, { open: openBrowser })

import { Layer } from 'effect'
import { Browser } from '../view/services.ts'

const openers: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: ReadonlyArray<string>]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Opens an address in the user's browser, or does nothing without a browser. */
function openBrowser(url: string): void {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open']
  // Loads node:child_process here, because of all commands only `view` needs a browser.
  const { spawn } = process.getBuiltinModule('node:child_process')
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

export const userBrowser: Layer.Layer<Browser> = Layer.succeed(Browser, { open: openBrowser })

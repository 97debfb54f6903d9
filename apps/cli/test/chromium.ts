// Starts Chromium for the tests of the viewer and of the site.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Path of Chromium for the tests: the environment variable CLOISTER_CHROMIUM, by default the path on Debian. */
const executablePath = process.env['CLOISTER_CHROMIUM'] ?? '/usr/bin/chromium'
export const hasChromium: boolean = existsSync(executablePath)

/** Time limit of the start, in ms. On a busy machine a browser may take half a minute to start. */
const SLOW = 300_000

/**
 * Features of Chromium that are off. With the first four features each new tab starts further processes, for a window
 * that no test sees, and these processes take more CPU time than a page of the viewer. The other features are off in
 * Playwright 1.65, too: the switch replaces the switch of Playwright.
 */
const disabledFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

export function launchChromium(): Promise<Browser> {
  const args = ['--no-sandbox', `--disable-features=${disabledFeatures.join(',')}`]
  return chromium.launch({ executablePath, args, timeout: SLOW })
}

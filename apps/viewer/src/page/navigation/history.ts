import { effect } from '@preact/signals'
import { address, visit } from '../state/view-state.ts'

/** Rest before the address changes, in ms. Browsers allow few changes a second. */
const REST = 200

let own = ''
let timer: ReturnType<typeof setTimeout> | undefined
let isJump = false

/** Gives the shown place an own entry in the browser's history. The next place then leads back to it. */
export function rememberPlace(): void {
  write()
  isJump = true
}

/** Keeps the address and the state equal, in both directions. */
export function shareByAddress(): void {
  visit(location.hash)
  effect(() => {
    own = `#${address.value}`
    clearTimeout(timer)
    timer = setTimeout(write, REST)
  })
  const follow = (): void => {
    if (location.hash === own) return
    clearTimeout(timer)
    isJump = false
    visit(location.hash)
  }
  addEventListener('hashchange', follow)
  addEventListener('popstate', follow)
}

function write(): void {
  clearTimeout(timer)
  if (own === '' || own === location.hash) return
  if (isJump) history.pushState(null, '', own)
  else history.replaceState(null, '', own)
  isJump = false
}

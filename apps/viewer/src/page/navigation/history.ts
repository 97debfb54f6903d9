import { effect } from '@preact/signals'
import { address, visit } from '../state/view-state.ts'

/** Rest before the page's address changes, in ms. Browsers allow few changes of the address a second. */
const REST = 200

let own = ''
let timer: ReturnType<typeof setTimeout> | undefined
let isJump = false

/** Gives the shown place its own entry in the browser's history. The browser's back button then leads to this place. */
export function rememberPlace(): void {
  write()
  isJump = true
}

/** Keeps the page's address and the page's state equal, after changes of the state and after changes of the address. */
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

import { type Signal, signal } from '@preact/signals'

/** True while the list of keys is shown. */
export const isHelpOpen: Signal<boolean> = signal(false)

import { type Signal, signal } from '@preact/signals'
import { moveTo, step, visible, whole } from '../state/session.ts'
import { cursor, pace, speed } from '../state/view-state.ts'

export const isPlaying: Signal<boolean> = signal(false)

let stepsDue = 0

export function togglePlay(): void {
  if (isPlaying.peek()) {
    isPlaying.value = false
    return
  }
  if (cursor.peek().t >= visible.peek().to) moveTo(visible.peek().from)
  isPlaying.value = true
  let last = performance.now()
  const tick = async (now: number): Promise<void> => {
    if (!isPlaying.peek()) return
    await advance((now - last) / 1000)
    last = now
    requestAnimationFrame((next) => void tick(next))
  }
  requestAnimationFrame((now) => void tick(now))
}

async function advance(seconds: number): Promise<void> {
  if (pace.peek() === 'time') {
    const { from, to } = visible.peek()
    const t = cursor.peek().t + (seconds * speed.peek() * (to - from)) / 60
    moveTo(t)
    if (t >= whole.peek().to) isPlaying.value = false
    return
  }
  stepsDue += seconds * speed.peek()
  if (stepsDue < 1) return
  stepsDue = 0
  await step(pace.peek() === 'pass' ? 'pass' : 'record', 1)
  if (cursor.peek().t >= whole.peek().to) isPlaying.value = false
}

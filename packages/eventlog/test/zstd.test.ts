import { describe, expect, it } from 'vitest'
import { BrokenChunksError } from '../src/index.ts'
import { decompressFrames } from '../src/node/frame-decompressor.ts'
import { compressFrame } from '../src/node/zstd-frame.ts'
import { concat } from './sample-logs.ts'

/** Returns the result of decompressing bytes. */
function ending(bytes: Uint8Array): string {
  try {
    return `${[...decompressFrames([bytes])].length} frames`
  } catch (error) {
    if (error instanceof BrokenChunksError) return `${error.status}: ${error.message}`
    throw error
  }
}

describe('decompressFrames', () => {
  const frame = compressFrame(Buffer.from('every line resembles the last one\n'.repeat(30)))

  it('decompressFrames reports a frame that seems cut off as damaged if another frame follows', () => {
    const longer = [...Array(8 * frame.length).keys()]
      .map((bit) => {
        const changed = Uint8Array.from(frame)
        changed[bit >> 3] ^= 1 << (bit & 7)
        return changed
      })
      .filter((changed) => ending(changed) === 'torn: the compressed frame at byte 0 of the file is incomplete')
    expect(longer.length).toBeGreaterThan(0)
    for (const changed of longer) {
      expect(ending(concat([changed, frame.subarray(0, 5)]))).toMatch(
        /^corrupt: the compressed frame at byte 0 of the file is damaged/,
      )
    }
    expect(longer.map((changed) => ending(concat([changed, frame.subarray(0, 5)]))).join()).toContain(
      'its length is wrong',
    )
  })

  it('decompressFrames finds every frame, with the bytes cut anywhere into chunks', () => {
    const bytes = concat([frame, frame, frame])
    for (let size = 1; size <= bytes.length; size++) {
      const chunks: Uint8Array[] = []
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
      expect([...decompressFrames(chunks)].length).toBe(3)
    }
    expect(ending(bytes.subarray(0, 2 * frame.length))).toBe('2 frames')
    expect(ending(bytes.subarray(0, 2 * frame.length + 1))).toBe(
      `torn: the compressed frame at byte ${2 * frame.length} of the file is incomplete`,
    )
  })
})

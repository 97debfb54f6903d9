import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { valueAfter } from '../src/page/controls/inputs.tsx'
import { address, visit } from '../src/page/state/address.ts'
import { panes, pinnedTracks, trackOrder } from '../src/page/state/view-state.ts'
import { moved, ordered } from '../src/page/tracks/track-shell.tsx'

const all = ['Nodes', 'Fits', 'Queue', 'Links']
const some = fc.subarray(all)
const shuffled = fc.shuffledSubarray([...all, 'of another run'])

describe('the tracks of the timelines', () => {
  it('`ordered` returns all tracks: the pinned tracks first, both groups in the order that the user chose', () => {
    expect(ordered(all, ['Queue', 'Nodes'], ['Links'])).toEqual(['Links', 'Queue', 'Nodes', 'Fits'])
    fc.assert(
      fc.property(shuffled, some, (order, pinned) => {
        const shown = ordered(all, order, pinned)
        expect(shown.toSorted()).toEqual(all.toSorted())
        expect(shown.slice(0, pinned.length).toSorted()).toEqual(pinned.toSorted())
      }),
    )
  })

  it('`moved` moves a track by several places in both directions, and stops at the ends', () => {
    expect(moved(all, 'Queue', -1, [])).toEqual(['Nodes', 'Queue', 'Fits', 'Links'])
    expect(moved(all, 'Nodes', -1, [])).toEqual(all)
    expect(moved(all, 'Fits', -1, ['Nodes'])).toEqual(all)
    fc.assert(
      fc.property(
        shuffled,
        some,
        fc.constantFrom(...all),
        fc.integer({ min: -5, max: 5 }),
        (order, pinned, title, by) => {
          const shown = ordered(all, order, pinned)
          const now = ordered(all, moved(shown, title, by, pinned), pinned)
          expect(ordered(all, moved(now, title, shown.indexOf(title) - now.indexOf(title), pinned), pinned)).toEqual(
            shown,
          )
        },
      ),
    )
  })

  it('`address` has the order of tracks, the pinned tracks and the sizes of panes, and `visit` restores them', () => {
    visit('#t=5')
    trackOrder.value = ['Queue', 'Nodes']
    pinnedTracks.value = ['Queue']
    panes.value = { time: 70, fabric: 20 }
    const kept = address.value
    visit('#t=5')
    expect([trackOrder.value, pinnedTracks.value, panes.value]).toEqual([[], [], {}])
    visit(`#${kept}`)
    expect([trackOrder.value, pinnedTracks.value]).toEqual([['Queue', 'Nodes'], ['Queue']])
    expect(panes.value).toEqual({ time: 70, fabric: 20 })
    visit('#panes=time:5,tracks:x,fabric:1e9,other:20')
    expect(panes.value).toEqual({})
    visit('')
  })
})

test('`valueAfter` changes the share of a pane by 2 percentage points for arrow keys; Home, End and Enter have own values', () => {
  const keys = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'Enter', 'a']
  expect(keys.map((key) => valueAfter(key, 50, 'before', true))).toEqual([
    48,
    52,
    undefined,
    undefined,
    10,
    90,
    'as at first',
    undefined,
  ])
  expect(keys.map((key) => valueAfter(key, 50, 'after', false)).slice(2, 4)).toEqual([52, 48])
})

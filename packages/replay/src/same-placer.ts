import type { Placer } from '@cloister/placement'

/** Returns a copy of a placer with the given `place`. The placer may be an instance of a class. */
export function withPlace<Index>(placer: Placer<Index>, place: Placer<Index>['place']): Placer<Index> {
  const { claims, linkCapacity, index, placesByKey } = placer
  return {
    claims,
    ...(linkCapacity !== undefined && { linkCapacity }),
    ...(index !== undefined && { index }),
    ...(placesByKey !== undefined && { placesByKey }),
    ...(placer.requestKey !== undefined && { requestKey: (request) => placer.requestKey!(request) }),
    ...(placer.mostNodes !== undefined && { mostNodes: (state, own) => placer.mostNodes!(state, own) }),
    place,
  }
}

const EARTH_KM = 6371
const RADIANS = Math.PI / 180

/** In degrees. */
export interface Point {
  lat: number
  lon: number
}

/** The distance to the nearest of several points, in kilometers; Infinity if there are none. */
export function nearestKilometers(from: Point, points: readonly Point[]): number {
  return points.reduce((nearest, point) => Math.min(nearest, kilometers(from, point)), Number.POSITIVE_INFINITY)
}

/** Great-circle distance in kilometers. */
export function kilometers(a: Point, b: Point): number {
  const half = (degrees: number) => Math.sin((degrees * RADIANS) / 2) ** 2
  const h = half(b.lat - a.lat) + Math.cos(a.lat * RADIANS) * Math.cos(b.lat * RADIANS) * half(b.lon - a.lon)
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(h)))
}

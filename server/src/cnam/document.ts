/** Where a caller-ID name is found. */
export const cnamPath = (id: string): string => `/v2/cnams/${id}`

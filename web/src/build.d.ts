/** The version that the page was built from. */
declare const __BUILD__: string;

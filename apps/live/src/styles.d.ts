// apps/live/src/styles.d.ts: style sheets are imported for the bundler
declare module "*.css";

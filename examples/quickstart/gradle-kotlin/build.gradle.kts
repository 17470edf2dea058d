// tag::build[]
plugins {
    id("java")
    id("org.springframework.boot") version "4.1.0"
}

repositories {
    mavenLocal() // until there is a release of Tenon
    mavenCentral()
}

dependencies {
    // enforced: else Gradle takes the newer one of two versions, also where Tenon was built with a newer Spring Boot than yours
    implementation(enforcedPlatform(org.springframework.boot.gradle.plugin.SpringBootPlugin.BOM_COORDINATES))
    implementation(platform("dev.tenon:tenon-bom:0.1.0-SNAPSHOT"))
    implementation("dev.tenon:tenon-spring-boot-starter")
    implementation("dev.tenon:tenon-jdbc")
    implementation("org.springframework.boot:spring-boot-starter-webmvc")
    implementation("org.springframework.boot:spring-boot-starter-jdbc")
    runtimeOnly("com.h2database:h2")
}
// end::build[]
